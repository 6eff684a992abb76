package dev.once.core;

import java.time.Duration;
import java.util.Objects;

/** Argument checks whose messages say the value and what is expected. */
final class Checks {

  /** Stores keep time in milliseconds. */
  private static final Duration SHORTEST = Duration.ofMillis(1);

  /** Longest duration that every store can add to its clock without overflow. */
  private static final Duration LONGEST = Duration.ofDays(3650);

  private Checks() {}

  static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, () -> name + ": null (expected: a duration)");
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + SHORTEST + " to " + LONGEST + ")");
    }
    return value;
  }

  /** A lone surrogate is encoded as a question mark: two names would become one. */
  static String unicode(String name, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!Character.isSurrogatePair(text.charAt(i), charAfter(text, i))) {
          throw new IllegalArgumentException(
              name + ": a lone surrogate at " + i + " (expected: Unicode text)");
        }
        i++;
      }
    }
    return text;
  }

  private static char charAfter(String text, int i) {
    return i + 1 < text.length() ? text.charAt(i + 1) : 0;
  }
}
