package dev.once.http.conformance;

import dev.once.http.conformance.wire.Text;

/**
 * A server that cannot be checked as it was described: a bad option, nobody listening, a counter
 * without a number. The message is one line for people.
 */
public final class TargetException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Says which option is wrong, what it is, and what is expected. */
  public TargetException(String option, String found, String expected) {
    super(option + ": " + Text.printable(found) + " (expected: " + expected + ")");
  }
}
