package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * An {@link Engine} in a JVM of its own. It tells its events on its output, one line each, before
 * it goes on: what a killed process has said is not lost.
 */
final class ClientProcess implements AutoCloseable {

  private final String name;
  private final Process process;
  private final Thread reader;
  private boolean killed;

  private ClientProcess(String name, Process process, Consumer<Event> history) {
    this.name = name;
    this.process = process;
    this.reader = new Thread(() -> read(history), "events of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  static ClientProcess start(
      String name, String url, Plan plan, int first, Consumer<Event> history) {
    return start(name, url, plan, first, history, System.getProperty("java.class.path"));
  }

  /** One that has other libraries. */
  static ClientProcess start(
      String name, String url, Plan plan, int first, Consumer<Event> history, String classPath) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                // To start fast matters more here than to run fast.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                classPath,
                ClientProcess.class.getName(),
                name,
                url,
                plan.text(),
                "" + first));
    try {
      return new ClientProcess(
          name, builder.redirectError(ProcessBuilder.Redirect.INHERIT).start(), history);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return name;
  }

  @Override
  public String toString() {
    return name;
  }

  private void read(Consumer<Event> history) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        history.accept(Event.parse(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void finish(int number) {
    if (!killed) {
      try {
        Writer input = process.outputWriter(StandardCharsets.UTF_8);
        input.append(number + "\n").flush();
      } catch (IOException e) {
        throw new UncheckedIOException(name + " ended by itself", e);
      }
    }
  }

  boolean isDone() {
    if (killed) {
      return !reader.isAlive();
    }
    checkExit();
    return !process.isAlive() && !reader.isAlive();
  }

  void checkAlive() {
    if (!killed) {
      checkExit();
    }
  }

  private void checkExit() {
    if (!process.isAlive()) {
      assertThat(process.exitValue()).as("exit code of %s", name).isZero();
    }
  }

  /** kill -9; not by {@link Process#destroyForcibly}, which throws away what it has said. */
  void kill() throws Exception {
    killed = true;
    signal("KILL");
    process.waitFor();
    assertThat(process.exitValue()).as("killed by signal 9").isEqualTo(128 + 9);
  }

  /** SIGSTOP. */
  void pause() throws Exception {
    signal("STOP");
  }

  /** SIGCONT. */
  void resume() throws Exception {
    signal("CONT");
  }

  private void signal(String signal) throws Exception {
    int done = new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
    assertThat(done).isZero();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /**
   * Arguments: a name, the store's URL, the plan, and the first key. A number on the input says
   * when to end.
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream output = System.out;
    Engine engine =
        new Engine(
            arguments[0],
            StoreOpening.open(arguments[1]),
            Plan.parse(arguments[2]),
            event -> output.println(event.line()));
    engine.start(Integer.parseInt(arguments[3]));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = input.readLine();
    if (line == null) {
      Runtime.getRuntime().halt(1); // whoever started it is gone
    }
    engine.finish(Integer.parseInt(line));
    Eventually.until(() -> "clients to end", engine::isDone);
    engine.close();
  }
}
