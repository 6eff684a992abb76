package dev.once.testing.consumers;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Runs a command to its end. */
final class Processes {

  private Processes() {}

  /** Its output, both streams; fails with it if it did not end well. */
  static String run(Path folder, Path javaHome, List<String> command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Process process = builder.start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int code = process.waitFor();
    if (code != 0) {
      throw new AssertionError(
          "exit code %d%n%s%nof %s%nin %s".formatted(code, output, shortened(command), folder));
    }
    return output;
  }

  /** Without the paths, which fill a screen. */
  private static String shortened(List<String> command) {
    return command.stream()
        .map(word -> word.length() > 300 ? word.substring(0, 300) + "..." : word)
        .collect(Collectors.joining(" "));
  }
}
