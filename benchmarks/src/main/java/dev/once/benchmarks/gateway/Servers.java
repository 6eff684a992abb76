package dev.once.benchmarks.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The processes that are measured. */
public final class Servers {

  private Servers() {}

  static ProcessBuilder bare(String kind, int port, String... more) {
    List<String> command = java(List.of(), Baselines.class.getName());
    command.addAll(List.of(kind, String.valueOf(port)));
    command.addAll(List.of(more));
    return quiet(command);
  }

  /** A main class of the benchmarks, in a JVM of its own. */
  public static ProcessBuilder main(Class<?> main, String... arguments) {
    List<String> command = java(List.of(), main.getName());
    command.addAll(List.of(arguments));
    return quiet(command);
  }

  /** The gateway, in a JVM with these options. */
  static ProcessBuilder gateway(List<String> jvm, int port, int upstream, String store) {
    List<String> command = java(jvm, "dev.once.cli.Main");
    command.addAll(flags(port, upstream, store));
    return quiet(command);
  }

  /** The gateway as people start it. */
  static ProcessBuilder launched(String launcher, int port, int upstream, String store) {
    List<String> command = new ArrayList<>(List.of(launcher));
    command.addAll(flags(port, upstream, store));
    return quiet(command);
  }

  /** Answers are kept for a short time, so that those in memory fit. */
  private static List<String> flags(int port, int upstream, String store) {
    return List.of(
        "gateway",
        "--upstream",
        "http://127.0.0.1:" + upstream,
        "--listen",
        "127.0.0.1:" + port,
        "--admin",
        "127.0.0.1:" + (port + 50),
        "--store",
        store,
        "--anonymous",
        "--retention",
        "10s");
  }

  private static List<String> java(List<String> options, String main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    return command;
  }

  private static ProcessBuilder quiet(List<String> command) {
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  public static void awaitPort(int port) throws InterruptedException {
    for (int i = 0; i < 30_000; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException e) {
        Thread.sleep(1);
      }
    }
    throw new IllegalStateException("port " + port + ": nobody listens (expected: a server)");
  }
}
