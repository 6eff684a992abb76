package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A gateway in a JVM of its own, as the command line starts it, on free ports. It works in a folder
 * and knows nothing of this process's environment that could be meant for it.
 */
final class GatewayProcess implements AutoCloseable {

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String ANONYMOUS = "--anonymous";
  private static final Pattern CLIENTS = Pattern.compile(" clients +(http\\S+)");
  private static final Pattern ADMIN = Pattern.compile(" admin +(http\\S+)");

  private final Process process;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final Thread reader;

  private GatewayProcess(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "output of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts one, and waits until it is ready. */
  static GatewayProcess start(String upstream, Path folder, String... flags) {
    return start(upstream, folder, Map.of(), flags);
  }

  static GatewayProcess start(
      String upstream, Path folder, Map<String, String> environment, String... flags) {
    return ready(launch(upstream, folder, environment, flags));
  }

  /**
   * One of another version, with this class path. To an older one {@code --anonymous} says that all
   * callers are one.
   */
  static GatewayProcess startOther(
      String classPath, String upstream, Path folder, String... flags) {
    List<String> words = words(upstream, flags);
    words.remove(ANONYMOUS);
    return ready(launch(classPath, folder, Map.of(), List.of(), words));
  }

  private static GatewayProcess ready(GatewayProcess gateway) {
    try {
      Eventually.until(
          "a gateway that is ready",
          () -> {
            gateway.checkAlive();
            return gateway.says(CLIENTS) && gateway.says(ADMIN) && gateway.isReady();
          });
      return gateway;
    } catch (RuntimeException | AssertionError e) {
      gateway.close();
      throw e;
    }
  }

  /** Starts one in as much heap as the JVM's flag says, and waits until it is ready. */
  static GatewayProcess startIn(String heap, String upstream, Path folder, String... flags) {
    List<String> jvmFlags = List.of(heap, "-XX:+ExitOnOutOfMemoryError");
    return ready(launch(folder, Map.of(), jvmFlags, words(upstream, flags)));
  }

  /** Starts one that may well refuse to run. */
  static GatewayProcess launch(
      String upstream, Path folder, Map<String, String> environment, String... flags) {
    return launch(folder, environment, words(upstream, flags));
  }

  private static List<String> words(String upstream, String... flags) {
    List<String> words = new ArrayList<>(List.of("gateway", "--upstream", upstream));
    words.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"));
    words.add(ANONYMOUS); // most clients here have no credentials
    words.addAll(List.of(flags));
    return words;
  }

  /** Starts any command, and waits for its end. */
  static GatewayProcess run(Path folder, String... words) throws InterruptedException {
    GatewayProcess command = launch(folder, Map.of(), List.of(words));
    command.exitCode();
    return command;
  }

  private static GatewayProcess launch(
      Path folder, Map<String, String> environment, List<String> words) {
    List<String> jvmFlags = List.of("-XX:+ExitOnOutOfMemoryError");
    return launch(folder, environment, jvmFlags, words);
  }

  private static GatewayProcess launch(
      Path folder, Map<String, String> environment, List<String> jvmFlags, List<String> words) {
    return launch(System.getProperty("java.class.path"), folder, environment, jvmFlags, words);
  }

  private static GatewayProcess launch(
      String classPath,
      Path folder,
      Map<String, String> environment,
      List<String> jvmFlags,
      List<String> words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // To start fast matters more here than to run fast.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m"));
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", classPath, "dev.once.cli.Main"));
    command.addAll(words);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.matches("(ONCE|IDEMPOTENCY|REDIS)_.*"));
    builder.environment().putAll(environment);
    try {
      return new GatewayProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a configuration, for the flag {@code --config}. */
  static String file(Path folder, String yaml) {
    try {
      return Files.writeString(folder.resolve("gateway.yaml"), yaml).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
      }
    } catch (IOException e) {
      output.add("(output ended: " + e.getMessage() + ")");
    }
  }

  private void checkAlive() {
    if (!process.isAlive()) {
      throw new AssertionError(
          "the gateway ended with " + process.exitValue() + ":\n" + String.join("\n", output()));
    }
  }

  // What it says.

  /** Where clients connect. */
  URI url() {
    return URI.create(said(CLIENTS));
  }

  /** What the admin port has at a path. */
  HttpResponse<String> admin(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(said(ADMIN) + path)).build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }

  boolean isReady() {
    try {
      return admin("/health/ready").statusCode() == 200;
    } catch (IOException e) {
      return false; // nobody listens yet, or any more
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private boolean says(Pattern pattern) {
    return output.stream().anyMatch(line -> pattern.matcher(line).find());
  }

  private String said(Pattern pattern) {
    for (String line : output) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw new AssertionError("the gateway has not said: " + pattern);
  }

  /** What it has written so far, standard output and error; all of it, if it has ended. */
  List<String> output() {
    try {
      if (!process.isAlive()) {
        reader.join(Eventually.TIMEOUT.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return List.copyOf(output);
  }

  /** Waits for a line with these words. */
  String awaitOutput(String words) {
    return Eventually.get(
            "'" + words + "' in the log",
            () -> output().stream().filter(line -> line.contains(words)).findFirst(),
            java.util.Optional::isPresent)
        .orElseThrow();
  }

  // What is done to it.

  /** kill -9. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    assertThat(process.exitValue()).as("killed by signal 9").isEqualTo(128 + 9);
  }

  /** SIGTERM; returns at once. */
  void terminate() throws Exception {
    signal("TERM");
  }

  /** SIGSTOP: it stands still, and its connections stay open. */
  void pause() throws Exception {
    signal("STOP");
  }

  /** SIGCONT. */
  void goOn() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    int done = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    assertThat(done).isZero();
  }

  /** Waits for its end. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS))
        .as("ends by itself")
        .isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
