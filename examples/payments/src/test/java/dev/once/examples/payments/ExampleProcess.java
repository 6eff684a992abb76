package dev.once.examples.payments;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // To start fast matters more here than to run fast.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            PaymentsApplication.class.getName(),
            "--server.port=0",
            "--spring.profiles.active=" + StoppingDataSource.PROFILE,
            "--stop-at=" + stop,
            Example.on(database));
    return new ExampleProcess(builder.redirectErrorStream(true).start());
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
