package dev.once.benchmarks.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The gateway next to the bare things: wrk, 32 connections, JSON of 500 bytes. All servers run at
 * once, and each is measured in turn, several times over, after a warm-up: what the machine does
 * meanwhile hits all of them.
 */
public final class GatewayReport {

  /** A first request costs up to three times as much in the first minute under load. */
  private static final int WARM_UP_SECONDS = Integer.getInteger("warmUp", 60);

  private static final int WINDOW_SECONDS = Integer.getInteger("window", 10);
  private static final int ROUNDS = Integer.getInteger("rounds", 5);
  private static final int STARTS = Integer.getInteger("starts", 11);

  /** What people start the gateway with. */
  private static final String LAUNCHER = System.getProperty("launcher", "once");

  private static final int ECHO = 18_900;
  private static final int PROXY = 18_901;
  private static final int MEMORY = 18_902;
  private static final int SQLITE = 18_903;
  private static final int START = 18_910;

  private final List<Process> processes = new ArrayList<>();
  private final Path folder;

  private GatewayReport(Path folder) {
    this.folder = folder;
  }

  /** A line of the report: a script of wrk against a port. */
  private record Target(String name, String script, int port) {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("once-gateway-bench");
    GatewayReport report = new GatewayReport(folder);
    Runtime.getRuntime().addShutdownHook(new Thread(report::stop));
    report.start();
    report.load();
  }

  /** How long it takes from the start of the process until the port answers. */
  private void start() throws IOException, InterruptedException {
    List<Double> hello = new ArrayList<>();
    List<Double> gateway = new ArrayList<>();
    for (int i = 0; i < STARTS; i++) {
      hello.add(millisToPort(Servers.bare("hello", START)));
      gateway.add(
          millisToPort(
              Servers.launched(LAUNCHER, START, ECHO, "sqlite:" + folder.resolve("start.db"))));
    }
    System.out.printf(
        "start to ready, median of %d: gateway %.0f ms, Vert.x hello %.0f ms, difference %.0f ms"
            + " (goal: <= 400)%n",
        STARTS, median(gateway), median(hello), median(gateway) - median(hello));
  }

  private static double millisToPort(ProcessBuilder command)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process process = command.start();
    try {
      Servers.awaitPort(START);
      return (System.nanoTime() - start) / 1e6;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private void load() throws IOException, InterruptedException {
    processes.add(Servers.bare("echo", ECHO).start());
    processes.add(Servers.bare("proxy", PROXY, String.valueOf(ECHO)).start());
    processes.add(Servers.gateway(List.of(), MEMORY, ECHO, "memory:").start());
    processes.add(
        Servers.gateway(List.of(), SQLITE, ECHO, "sqlite:" + folder.resolve("load.db")).start());
    for (int port : new int[] {ECHO, PROXY, MEMORY, SQLITE}) {
      Servers.awaitPort(port);
    }
    List<Target> targets =
        List.of(
            new Target("Vert.x echo", "unkeyed.lua", ECHO),
            new Target("vertx-http-proxy", "unkeyed.lua", PROXY),
            new Target("gateway, nothing in scope", "unkeyed.lua", MEMORY),
            new Target("gateway, keyed first requests, memory:", "first.lua", MEMORY),
            new Target("gateway, keyed first requests, sqlite:", "first.lua", SQLITE),
            new Target("gateway, replays, memory:", "replay.lua", MEMORY),
            new Target("gateway, replays, sqlite:", "replay.lua", SQLITE));
    for (Target target : targets) {
      Wrk.run(Wrk.script(folder, target.script), target.port, WARM_UP_SECONDS);
    }
    Map<String, List<Wrk.Window>> windows = new LinkedHashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Target target : targets) {
        Wrk.Window window = Wrk.run(Wrk.script(folder, target.script), target.port, WINDOW_SECONDS);
        windows.computeIfAbsent(target.name, any -> new ArrayList<>()).add(window);
        System.out.printf("round %d  %s: %s%n", round + 1, target.name, window);
      }
    }
    print(windows);
  }

  private static void print(Map<String, List<Wrk.Window>> windows) {
    System.out.println("\n| what | per s | p99 ms | to vertx-http-proxy | to Vert.x echo |");
    System.out.println("|---|---|---|---|---|");
    double proxy = rate(windows.getOrDefault("vertx-http-proxy", List.of()));
    double echo = rate(windows.getOrDefault("Vert.x echo", List.of()));
    windows.forEach(
        (name, runs) ->
            System.out.printf(
                "| %s | %.0f | %.1f | %.2f | %.2f |%n",
                name,
                rate(runs),
                median(runs.stream().map(Wrk.Window::p99Millis).toList()),
                rate(runs) / proxy,
                rate(runs) / echo));
  }

  private static double rate(List<Wrk.Window> windows) {
    return median(windows.stream().map(Wrk.Window::perSecond).toList());
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private void stop() {
    processes.forEach(Process::destroyForcibly);
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      System.err.println("not removed: " + folder + ": " + e.getMessage());
    }
  }
}
