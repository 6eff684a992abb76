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
}
