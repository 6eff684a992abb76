package dev.once.http.conformance;

/**
 * A server that cannot be checked as it was described: a bad option, nobody listening, a counter
 * without a number. The message is one line for people.
 */
public final class TargetException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TargetException(String option, String found, String expected) {
    super(option + ": " + Text.printable(found) + " (expected: " + expected + ")");
  }
}
