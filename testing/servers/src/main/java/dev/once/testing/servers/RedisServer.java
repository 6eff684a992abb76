package dev.once.testing.servers;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real redis-server on a free port, in a folder of its own. It can be killed, paused, and started
 * again on the same port and folder. It ends with this JVM, however that ends: a shell holds it,
 * and kills it when the pipe to this JVM closes.
 */
public final class RedisServer implements AutoCloseable {

  private static final int TRIES = 5;

  /** After hours of faults its file is long, and the machine may be busy. */
  private static final Duration STARTING = Duration.ofMinutes(2);

  /** Starts the program, tells its process id, and kills it at the end of standard input. */
  private static final String HOLD =
      "exec 3<&0; \"$@\" 3<&- </dev/null & p=$!; echo $p;"
          + " { cat <&3 >/dev/null; kill -9 $p; } 2>/dev/null & wait $p";

  private final ServerPlace place;
  private final List<String> config;
  private final @Nullable ServerClock clock;
  private final Path folder;
  private final int port;
  private Process holder;
  private long pid;

  private RedisServer(
      ServerPlace place, int port, Path folder, List<String> config, @Nullable ServerClock clock)
      throws IOException {
    this.place = place;
    this.port = port;
    this.folder = folder;
    this.config = config;
    this.clock = clock;
    launch();
  }

  /** Starts one with these lines of configuration, each like {@code appendonly yes}. */
  public static RedisServer start(String... config) throws IOException {
    return start(List.of(), null, config);
  }

  /**
   * Starts one with a clock of its own. The program that the build brings has all it needs inside,
   * so nothing can be loaded into it: this is the one of the system ({@code redis-server}, or
   * {@code redis-tools} of Debian). Without it the test is skipped.
   */
  public static RedisServer start(ServerClock clock, String... config) throws IOException {
    return start(List.of(), clock, config);
  }

  /** Starts one on a host of its own. */
  public static RedisServer start(NetworkHost host, String... config) throws IOException {
    List<String> open = new ArrayList<>(List.of(config));
    open.add("protected-mode no"); // nobody else gets there
    return start(host.place(), null, open);
  }

  /** {@code mode} is what goes before the other arguments, such as {@code --sentinel}. */
  static RedisServer start(List<String> mode, @Nullable ServerClock clock, String... config)
      throws IOException {
    List<String> all = new ArrayList<>(mode);
    all.addAll(List.of(config));
    return start(clock == null ? ServerPlace.HERE : clock.place(), clock, all);
  }

  private static RedisServer start(
      ServerPlace place, @Nullable ServerClock clock, List<String> config) throws IOException {
    IOException last = new IOException("redis-server: not started");
    for (int i = 0; i < TRIES; i++) {
      Path folder = Files.createTempDirectory("once-redis-");
      try {
        return new RedisServer(place, Ports.free(), folder, config, clock);
      } catch (IOException e) { // somebody else may have taken the port
        last = e;
        delete(folder);
      }
    }
    throw last;
  }

  private void launch() throws IOException {
    Path file = folder.resolve("redis.conf");
    if (!Files.exists(file)) { // a sentinel rewrites it, and a restart has to keep that
      List<String> lines = new ArrayList<>();
      lines.addAll(List.of("port " + port, "dir " + folder, "logfile redis.log"));
      lines.add("bind " + place.bind());
      config.stream().filter(line -> !line.startsWith("--")).forEach(lines::add);
      Files.write(file, lines);
    }
    List<String> command = new ArrayList<>(List.of("sh", "-c", HOLD, "sh"));
    if (clock == null) {
      command.addAll(place.command(List.of(RedisBinary.path().toString(), file.toString())));
    } else {
      String program = RedisBinary.ofTheSystem(folder).toString();
      command.addAll(place.command(List.of(program, file.toString())));
    }
    config.stream().filter(line -> line.startsWith("--")).forEach(command::add);
    holder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .directory(folder.toFile())
            .start();
    @SuppressWarnings("resource") // closed with the process
    BufferedReader output = holder.inputReader(StandardCharsets.UTF_8);
    pid = Long.parseLong(output.readLine());
    awaitAnswer();
  }

  private void awaitAnswer() throws IOException {
    try {
      await(STARTING, "redis-server to answer", () -> !holder.isAlive() || isReady());
    } catch (TimeoutException e) {
      kill();
      throw new IOException(e);
    }
    if (!holder.isAlive()) {
      throw new IOException("redis-server ended: " + log());
    }
  }

  private boolean isReady() {
    try {
      String reply = command("PING");
      return reply.equals("PONG") || reply.startsWith("-NOAUTH");
    } catch (IOException e) {
      return false;
    }
  }

  public String url() {
    return "redis://" + place.address() + ":" + port;
  }

  public int port() {
    return port;
  }

  public Path folder() {
    return folder;
  }

  /** What the server has logged. */
  public String log() throws IOException {
    Path file = folder.resolve("redis.log");
    return Files.exists(file) ? Files.readString(file) : "no log";
  }

  /** One command on a connection of its own; the reply as text, an error with "-" in front. */
  public String command(String... words) throws IOException {
    return RedisWire.command(place.address(), port, words);
  }

  /** The value of a line of INFO, or nothing. */
  public String info(String section, String name) throws IOException {
    return command("INFO", section)
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }

  /** kill -9, and of a child that writes its file: from now on nobody does. */
  public void kill() {
    List<ProcessHandle> children = children();
    signal("KILL");
    waitForEnd();
    children.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle child : children) {
      Poll.until("the end of " + child.pid(), () -> !ServerProcess.runs(child.pid()));
    }
  }

  private List<ProcessHandle> children() {
    try (Stream<ProcessHandle> children =
        ProcessHandle.of(pid).filter(p -> holder.isAlive()).stream()
            .flatMap(ProcessHandle::children)) {
      return children.toList();
    }
  }

  /** SIGSTOP: connections stay open, and nothing answers. */
  public void pause() {
    signal("STOP");
  }

  public void resume() {
    signal("CONT");
  }

  /** On the same port and folder, after it was killed or stopped; kills it first if it runs. */
  public void restart() throws IOException {
    kill();
    launch();
  }

  /** Ends it, and leaves its folder. */
  public void stop() {
    signal("CONT");
    signal("TERM");
    waitForEnd();
  }

  @Override
  public void close() throws IOException {
    kill();
    delete(folder);
  }

  private void signal(String name) {
    if (!holder.isAlive()) {
      return;
    }
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    } catch (IOException e) {
      throw new IllegalStateException("kill -" + name + " " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void waitForEnd() {
    try {
      holder.getOutputStream().close(); // whatever happened, the shell kills it now
      if (!holder.waitFor(300, SECONDS)) {
        throw new IllegalStateException("redis-server " + pid + " does not end");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Looks again and again until it is so. */
  static void await(Duration atMost, String what, BooleanSupplier isSo) throws TimeoutException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new TimeoutException("waited " + atMost + " for " + what);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> inside;
    try (Stream<Path> walk = Files.walk(folder)) {
      inside = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : inside) {
      Files.deleteIfExists(path);
    }
  }
}
