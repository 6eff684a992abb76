package dev.once.cli;

import dev.once.core.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What a command printed, and its exit code. */
record Run(int code, Bytes output, String err) {

  static Run of(String... arguments) {
    return with("", arguments);
  }

  static Run with(String input, String... arguments) {
    return in(Map.of(), input, arguments);
  }

  static Run in(Map<String, String> environment, String input, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Shell shell =
        new Shell(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment);
    int code = Main.run(arguments, shell);
    return new Run(code, Bytes.wrap(out.toByteArray()), err.toString(StandardCharsets.UTF_8));
  }

  byte[] bytes() {
    return output.toArray();
  }

  String out() {
    return output.toUtf8();
  }

  List<String> outLines() {
    return out().lines().map(String::stripTrailing).toList();
  }

  List<String> errLines() {
    return err.lines().toList();
  }
}
