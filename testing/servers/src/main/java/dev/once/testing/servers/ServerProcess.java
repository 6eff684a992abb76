package dev.once.testing.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A running server with all its child processes. It does not outlive this JVM, not even one that is
 * killed: a shell waits for the end of a pipe that this JVM holds, and then kills the server and
 * deletes its folder.
 */
final class ServerProcess {

  private static final String WATCH =
      """
      trap '' INT TERM HUP
      cat >/dev/null
      kill -9 $1 $(cat /proc/$1/task/$1/children)
      rm -rf "$2"
      """;

  private static final char GONE = '-';

  private final Process process;
  private final Process watchdog;
  private final Path log;

  private ServerProcess(Process process, Process watchdog, Path log) {
    this.process = process;
    this.watchdog = watchdog;
    this.log = log;
  }

  /**
   * Starts it.
   *
   * @param log where its output is added
   * @param folder what is deleted if this JVM dies
   */
  static ServerProcess start(List<String> command, Path log, Path folder) {
    File nothing = new File("/dev/null");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(nothing)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.appendTo(log.toFile()))
              .start();
      Process watchdog =
          new ProcessBuilder("sh", "-c", WATCH, "sh", "" + process.pid(), folder.toString())
              .redirectOutput(nothing)
              .redirectError(nothing)
              .start();
      return new ServerProcess(process, watchdog, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it wrote, with what its forerunners in the same folder wrote. */
  String log() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  /** Asks it to end, by a signal, and waits until it has. */
  void end(String signal) {
    signal(signal, List.of(process.pid()));
    Commands.waitFor(process);
    watchdog.destroyForcibly();
  }

  /** kill -9, of it and of its children, so that nobody tidies up. */
  void kill() {
    List<Long> all = stopped();
    signal("KILL", all);
    Commands.waitFor(process);
    Poll.until("the end of " + all, () -> all.stream().noneMatch(ServerProcess::runs));
    watchdog.destroyForcibly();
  }

  /** SIGSTOP: it stands still, and its connections stay open. */
  void pause() {
    stopped();
  }

  /** SIGCONT. */
  void resume() {
    signal("CONT", family());
  }

  /** The parent is stopped first: from then on there are no new children. */
  private List<Long> stopped() {
    stop(List.of(process.pid()));
    List<Long> all = family();
    stop(all);
    return all;
  }

  /** To have sent the signal is not enough: a process stops when it is its turn. */
  private static void stop(List<Long> pids) {
    signal("STOP", pids);
    Poll.until("a halt of " + pids, () -> pids.stream().allMatch(ServerProcess::standsStill));
  }

  private static boolean standsStill(long pid) {
    return state(pid) == 'T' || !runs(pid);
  }

  private List<Long> family() {
    List<Long> pids = new ArrayList<>();
    pids.add(process.pid());
    try (Stream<ProcessHandle> children = process.descendants()) {
      children.forEach(child -> pids.add(child.pid()));
    }
    return pids;
  }

  /** Some of them may have ended by themselves. */
  private static void signal(String name, List<Long> pids) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    pids.forEach(pid -> command.add("" + pid));
    Commands.works(command.toArray(new String[0]));
  }

  /** A zombie that nobody has buried yet does not run. */
  static boolean runs(long pid) {
    return state(pid) != GONE && state(pid) != 'Z';
  }

  /** As the system names it, or that there is no such process. */
  private static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.UTF_8);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return GONE; // before it was read, or meanwhile
    }
  }
}
