package dev.once.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run of TLC, in a JVM of its own: it keeps its state in static fields.
 *
 * @param output what TLC wrote: with a violation, the steps that lead to it
 */
record Tlc(String output) {

  private static final Pattern VIOLATED = Pattern.compile("Error: Invariant (\\w+) is violated");
  private static final Pattern STATES =
      Pattern.compile("(\\d+) distinct states found, 0 states left");
  private static final String NO_ERROR = "Model checking completed. No error has been found.";
  private static final String NEVER = "Temporal properties were violated";

  static Tlc check(Model model, Path folder) throws IOException, InterruptedException {
    Files.copy(Model.FOLDER.resolve("Once.tla"), folder.resolve("Once.tla"));
    Files.writeString(folder.resolve("Once.cfg"), model.config());
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    // Most runs are over in seconds.
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx2g",
                    "-Djava.io.tmpdir=" + folder,
                    "-cp",
                    System.getProperty("java.class.path"),
                    "tlc2.TLC",
                    "-workers",
                    "auto",
                    "-nowarning",
                    "Once.tla"))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    return new Tlc(Files.readString(output));
  }

  /** Fails with the steps that lead to the violation. */
  Tlc holds() {
    assertThat(output).contains(NO_ERROR);
    return this;
  }

  void violates(String invariant) {
    Matcher violated = VIOLATED.matcher(output);
    assertThat(violated.find()).as(output).isTrue();
    assertThat(violated.group(1)).as(output).isEqualTo(invariant);
  }

  /** There is a way on which the property never comes true. */
  void neverHolds() {
    assertThat(output).contains(NEVER);
  }

  /** How many different states the model has. */
  long states() {
    Matcher states = STATES.matcher(output);
    assertThat(states.find()).as(output).isTrue();
    return Long.parseLong(states.group(1));
  }
}
