package dev.once.benchmarks.servlet;

import dev.once.benchmarks.gateway.Servers;
import dev.once.benchmarks.gateway.Wrk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The filter in Jetty and Tomcat next to the same container without it: wrk, 32 connections, JSON
 * of 500 bytes, the in-memory store. All servers run at once, and each is measured in turn, several
 * times over, after a warm-up: what the machine does meanwhile hits all of them.
 */
public final class ServletReport {

  /** With the filter there is twice as much to compile, on processors that wrk keeps busy. */
  private static final int WARM_UP_SECONDS = Integer.getInteger("warmUp", 30);

  private static final int WINDOW_SECONDS = Integer.getInteger("window", 4);
  private static final int ROUNDS = Integer.getInteger("rounds", 11);
  private static final int FIRST_PORT = 18_930;

  private final List<Process> processes = new ArrayList<>();
  private final Path folder;

  private ServletReport(Path folder) {
    this.folder = folder;
  }

  /** A line of the report: a script of wrk against a port, and the line that it is compared to. */
  private record Target(String name, String script, int port, String bare, String goal) {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("once-servlet-bench");
    ServletReport report = new ServletReport(folder);
    Runtime.getRuntime().addShutdownHook(new Thread(report::stop));
    report.run();
    System.exit(0);
  }

  private void run() throws IOException, InterruptedException {
    List<Target> targets = new ArrayList<>();
    int port = FIRST_PORT;
    for (String container : List.of("jetty", "tomcat")) {
      int plain = start(container, port++, "plain");
      int filter = start(container, port++, "filter");
      String bare = container + ", without the filter";
      String bareKeyed = bare + ", each with a key of its own";
      targets.add(new Target(bare, "unkeyed.lua", plain, bare, ""));
      targets.add(
          new Target(container + ", unkeyed requests", "unkeyed.lua", filter, bare, ">= 0.97"));
      targets.add(new Target(bareKeyed, "first.lua", plain, bareKeyed, ""));
      targets.add(
          new Target(
              container + ", keyed first requests", "first.lua", filter, bareKeyed, ">= 0.85"));
      targets.add(new Target(container + ", replays", "replay.lua", filter, bare, ""));
    }
    for (Target target : targets) {
      Wrk.run(Wrk.script(folder, target.script), target.port, WARM_UP_SECONDS);
    }
    Map<String, List<Wrk.Window>> windows = new HashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Target target : targets) {
        Wrk.Window window = Wrk.run(Wrk.script(folder, target.script), target.port, WINDOW_SECONDS);
        windows.computeIfAbsent(target.name, any -> new ArrayList<>()).add(window);
        System.out.printf("round %d  %s: %s%n", round + 1, target.name, window);
      }
    }
    print(targets, windows);
  }

  private int start(String container, int port, String kind)
      throws IOException, InterruptedException {
    processes.add(Servers.main(ServletServer.class, container, String.valueOf(port), kind).start());
    Servers.awaitPort(port);
    return port;
  }

  private static void print(List<Target> targets, Map<String, List<Wrk.Window>> windows) {
    System.out.println(
        "\n| what | per s | p99 ms | to the same without the filter: medians | of pairs | goal |");
    System.out.println("|---|---|---|---|---|---|");
    for (Target target : targets) {
      List<Wrk.Window> runs = windows.getOrDefault(target.name, List.of());
      List<Wrk.Window> bare = windows.getOrDefault(target.bare, runs);
      System.out.printf(
          "| %s | %.0f | %.1f | %.2f | %.2f | %s |%n",
          target.name,
          rate(runs),
          median(runs.stream().map(Wrk.Window::p99Millis).toList()),
          rate(runs) / rate(bare),
          ofPairs(runs, bare),
          target.goal);
    }
  }

  /** The median of the ratios of one round each: what slows a whole round down is in both. */
  private static double ofPairs(List<Wrk.Window> runs, List<Wrk.Window> bare) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < runs.size(); round++) {
      ratios.add(runs.get(round).perSecond() / bare.get(round).perSecond());
    }
    return median(ratios);
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
