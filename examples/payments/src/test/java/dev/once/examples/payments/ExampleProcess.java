package dev.once.examples.payments;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The example in a process of its own, which can be killed. */
final class ExampleProcess implements AutoCloseable {

  private static final Pattern READY = Pattern.compile("taken at (http://localhost:\\d+)");

  private final Process process;
  private final BufferedReader output;
  private final URI url;

  private ExampleProcess(Process process) throws IOException {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
    this.url = URI.create(await(READY).group(1));
  }

  /** Starts one that will stop at a step, and waits until it is ready. */
  static ExampleProcess start(String database, Step stop) throws IOException {
    return start(
        List.of(),
        PaymentsApplication.class,
        "--spring.profiles.active=" + StoppingDataSource.PROFILE,
        "--stop-at=" + stop,
        Example.on(database));
  }

  /** Starts one with a PostgreSQL of its own, by another command. */
  static ExampleProcess startWithItsOwnDatabase(String... by) throws IOException {
    return start(List.of(by), TestPaymentsApplication.class);
  }

  private static ExampleProcess start(List<String> before, Class<?> main, String... properties)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // To start fast matters more here than to run fast.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.add("--server.port=0");
    command.addAll(List.of(properties));
    return new ExampleProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  URI url() {
    return url;
  }

  void awaitStop(Step step) throws IOException {
    await(Pattern.compile(Pattern.quote(StoppingDataSource.line(step))));
  }

  /** Reads on until a line says it; the test's time-out is the limit. */
  private Matcher await(Pattern wanted) throws IOException {
    StringBuilder read = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      read.append(line).append('\n');
      Matcher matcher = wanted.matcher(line);
      if (matcher.find()) {
        return matcher;
      }
    }
    throw new AssertionError("ended without saying " + wanted + ":\n" + read);
  }

  /** Sends a signal to all its processes, as Ctrl-C does. */
  void signalAll(String signal) throws IOException, InterruptedException {
    signal(signal, "-" + process.pid());
  }

  /** Sends a signal to it alone. */
  void signal(String signal) throws IOException, InterruptedException {
    signal(signal, "" + process.pid());
  }

  private static void signal(String signal, String whom) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + signal, "--", whom).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IllegalStateException("kill -" + signal + " " + whom + " ended with " + code);
    }
  }

  /** All that it says until it ends. */
  List<String> readToEnd() {
    return output.lines().toList();
  }

  int awaitEnd() throws InterruptedException {
    return process.waitFor();
  }

  /** kill -9. */
  int kill() throws InterruptedException {
    process.destroyForcibly();
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
