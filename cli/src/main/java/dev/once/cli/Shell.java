package dev.once.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Map;

/** Where a command runs: what it reads and where it writes. */
public record Shell(
    InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {

  /** Whether a person would have to type the input; the launcher knows. */
  boolean isInTerminal() {
    return Boolean.getBoolean("once.terminal.in");
  }

  /** Whether a person looks at the output. */
  public boolean isTerminal() {
    return Boolean.getBoolean("once.terminal.out");
  }

  /** Whether a person looks at what goes to standard error. */
  public boolean isErrTerminal() {
    return Boolean.getBoolean("once.terminal.err");
  }

  /** Whether colours are welcome. */
  public boolean hasColours() {
    return isTerminal() && !environment.containsKey("NO_COLOR");
  }
}
