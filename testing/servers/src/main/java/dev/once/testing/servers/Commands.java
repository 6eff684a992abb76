package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Short commands of the operating system. */
final class Commands {

  private Commands() {}

  static void run(String... command) {
    run(List.of(command), Redirect.from(Path.of("/dev/null").toFile()));
  }

  /** Runs a command to its end, and fails with what it said if it failed. */
  static void run(List<String> command, Redirect input) {
    try {
      Process process =
          new ProcessBuilder(command).redirectInput(input).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = waitFor(process);
      if (code != 0) {
        throw new IllegalStateException(command + " ended with " + code + ":\n" + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static boolean works(String... command) {
    try {
      run(command);
      return true;
    } catch (UncheckedIOException | IllegalStateException e) {
      return false;
    }
  }

  static int waitFor(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + process.pid() + " ran", e);
    }
  }
}
