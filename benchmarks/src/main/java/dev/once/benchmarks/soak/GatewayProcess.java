package dev.once.benchmarks.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The gateway as people start it, in a heap of 128 MB. */
final class GatewayProcess {

  static final Duration LEASE = Duration.ofSeconds(10);
  static final Duration GRACE = Duration.ofSeconds(20);

  private static final String HEAP = System.getProperty("heap", "128m");
  private static final Duration START = Duration.ofMinutes(2);
  private static final Pattern CLIENTS = Pattern.compile(" clients +http://[^:]+:(\\d+)");
  private static final Pattern ADMIN = Pattern.compile(" admin +(http\\S+)");
  private static final Pattern AFTER = Pattern.compile("\\d+M->(\\d+)M\\(\\d+M\\)");

  /** Answers to attackers are kept for a short time: the file must not fill the disk. */
  private static final String CONFIGURATION =
      """
      upstream: http://127.0.0.1:%d
      listen: 127.0.0.1:0
      admin: 127.0.0.1:0
      connections: 1024
      lease: %ds
      grace: %ds
      retention: 30s
      routes:
        - match: POST /pay/**
          retention: 24h
        - match: POST /wait
          on-busy: wait
        - match: POST /required/**
          required: true
      """;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final Path folder;
  private final Process process;

  private GatewayProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Starts one in this folder, where its file and its logs go, and waits for it. */
  static GatewayProcess start(String launcher, int upstream, Path folder)
      throws IOException, InterruptedException {
    Path configuration = folder.resolve("gateway.yaml");
    Files.writeString(
        configuration, CONFIGURATION.formatted(upstream, LEASE.toSeconds(), GRACE.toSeconds()));
    List<String> command = new ArrayList<>(List.of(launcher, "gateway"));
    command.addAll(List.of("--config", configuration.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("gateway.log").toFile());
    builder
        .environment()
        .put("ONCE_JAVA_OPTS", "-Xmx" + HEAP + " -Xlog:gc:file=" + folder.resolve("gc.log"));
    GatewayProcess gateway = new GatewayProcess(folder, builder.start());
    long end = System.nanoTime() + START.toNanos();
    while (!gateway.isReady()) {
      if (!gateway.isAlive() || System.nanoTime() - end > 0) {
        gateway.kill();
        throw new IOException("the gateway did not start: " + gateway.log());
      }
      Thread.sleep(100);
    }
    return gateway;
  }

  int port() {
    return Integer.parseInt(said(CLIENTS));
  }

  private String said(Pattern pattern) {
    Matcher matcher = pattern.matcher(log());
    return matcher.find() ? matcher.group(1) : "";
  }

  String log() {
    return read("gateway.log");
  }

  private String read(String name) {
    try {
      Path file = folder.resolve(name);
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isReady() {
    try {
      return !said(ADMIN).isEmpty() && admin("/health/ready").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** What the admin port says, within 5 seconds. */
  HttpResponse<String> admin(String path) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(said(ADMIN) + path))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  /** Kilobytes by a name of {@code /proc/PID/status}; 0 where there is none. */
  long kilobytes(String name) {
    try (var lines = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "status"))) {
      return lines
          .filter(line -> line.startsWith(name + ":"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }

  /** Megabytes of the heap in use after each collection so far. */
  List<Integer> heapAfterCollections() {
    return AFTER
        .matcher(read("gc.log"))
        .results()
        .map(result -> Integer.valueOf(result.group(1)))
        .toList();
  }

  long fileBytes(String name) throws IOException {
    Path file = folder.resolve(name);
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** SIGTERM; how many seconds it took to end, or -1 if it did not. */
  long terminate(Duration atMost) throws InterruptedException {
    long begun = System.nanoTime();
    process.destroy();
    boolean ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    return ended ? TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) : -1;
  }

  void kill() {
    process.destroyForcibly();
  }
}
