package dev.once.benchmarks.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs wrk, and reads what it says. */
public final class Wrk {

  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern P99 = Pattern.compile("99%\\s+([0-9.]+)(us|ms|s)");
  private static final Pattern ERRORS = Pattern.compile("(Non-2xx[^\\n]*|Socket errors[^\\n]*)");

  private Wrk() {}

  /** A script of the jar, as a file: {@code unkeyed.lua}, {@code first.lua}, {@code replay.lua}. */
  public static Path script(Path folder, String name) throws IOException {
    Path file = folder.resolve(name);
    if (!Files.exists(file)) {
      try (InputStream script = Wrk.class.getResourceAsStream(name)) {
        if (script == null) {
          throw new IOException("script: " + name + " (expected: in the jar)");
        }
        Files.copy(script, file);
      }
    }
    return file;
  }

  /** What one run saw. */
  public record Window(double perSecond, double p99Millis, String errors) {}

  public static Window run(Path script, int port, int seconds)
      throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder(
                  List.of(
                      "wrk",
                      "-t2",
                      "-c32",
                      "-d" + seconds + "s",
                      "--latency",
                      "-s",
                      script.toString(),
                      "http://127.0.0.1:" + port + "/payments"))
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      throw new IOException("wrk: not found (expected: installed, for example by its package)", e);
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Matcher rate = RATE.matcher(output);
    Matcher p99 = P99.matcher(output);
    if (!rate.find() || !p99.find()) {
      throw new IOException("wrk said:\n" + output);
    }
    double unit =
        switch (p99.group(2)) {
          case "us" -> 0.001;
          case "s" -> 1000;
          default -> 1;
        };
    Matcher errors = ERRORS.matcher(output);
    return new Window(
        Double.parseDouble(rate.group(1)),
        Double.parseDouble(p99.group(1)) * unit,
        errors.find() ? errors.group(1).strip() : "");
  }
}
