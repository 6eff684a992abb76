package dev.once.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The model of the protocol with values for its constants: {@code Once.cfg}, and what a test
 * changes in it.
 *
 * @param config the text of the configuration
 */
record Model(String config) {

  static final Path FOLDER = Path.of("").toAbsolutePath();

  static Model main() {
    try {
      return new Model(Files.readString(FOLDER.resolve("Once.cfg")));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static Model mutant(String name) {
    return main().with("Mutant", '"' + name + '"');
  }

  /** Claims without a reply are taken back in this way. */
  static Model withdrawing(String way) {
    return main().with("Withdrawal", '"' + way + '"');
  }

  Model with(String constant, Object value) {
    return replaced("(?m)^  " + constant + " = .*$", "  " + constant + " = " + value);
  }

  /** Looks at one invariant only. */
  Model only(String invariant) {
    return replaced("(?s)INVARIANTS.*(?=CHECK_DEADLOCK)", "INVARIANT " + invariant + "\n");
  }

  /**
   * Looks at what happens in the end, instead of at each state. Names may not be exchanged then:
   * TLC would join behaviours that differ.
   */
  Model inTheEnd(String property) {
    return only("TRUE")
        .replaced("INVARIANT TRUE", "PROPERTY " + property)
        .replaced("SYMMETRY \\w+", "")
        .replaced("SPECIFICATION Spec", "SPECIFICATION Fair");
  }

  private Model replaced(String regex, String replacement) {
    String changed = config.replaceFirst(regex, replacement);
    if (changed.equals(config) && !config.contains(replacement)) {
      throw new IllegalArgumentException(regex + " (expected: in Once.cfg)");
    }
    return new Model(changed);
  }
}
