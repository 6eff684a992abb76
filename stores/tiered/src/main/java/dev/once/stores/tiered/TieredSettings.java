package dev.once.stores.tiered;

import java.time.Duration;

/**
 * How a {@link TieredStore} uses its cache. Every value has a default: {@link #forCache} and {@link
 * #forFallback} differ in what they want of it.
 *
 * @param timeout how long one step of the cache may take; the database is asked then
 * @param longestStay how long an answer is kept in the cache at most, also if its record is kept
 *     longer. It bounds how long an answer that a person has released can still be replayed, if the
 *     cache was not told
 * @param busyFor how long the cache may say that an operation still runs, before the database is
 *     asked again; zero: it never says so
 * @param restAfterFailures how long a cache that keeps failing is not asked
 * @param onFallback called for each claim on which the cache gave no reply: a counter, as {@code
 *     idempotency.fallback}; it must not block
 */
public record TieredSettings(
    Duration timeout,
    Duration longestStay,
    Duration busyFor,
    Duration restAfterFailures,
    Runnable onFallback) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration LONGEST_STAY = Duration.ofDays(3650);
  private static final Duration LONGEST_BUSY = Duration.ofMinutes(1);
  private static final Duration LONGEST_REST = Duration.ofHours(1);

  private static final TieredSettings CACHE =
      new TieredSettings(
          Duration.ofMillis(50),
          Duration.ofMinutes(10),
          Duration.ZERO,
          Duration.ofSeconds(1),
          () -> {});

  public TieredSettings {
    check("timeout", timeout, SHORTEST, MAX_TIMEOUT);
    check("longestStay", longestStay, SHORTEST, LONGEST_STAY);
    check("busyFor", busyFor, Duration.ZERO, LONGEST_BUSY);
    check("restAfterFailures", restAfterFailures, SHORTEST, LONGEST_REST);
  }

  /** Replays only, and nothing waits for the cache but a claim that looks into it. */
  public static TieredSettings forCache() {
    return CACHE;
  }

  /** Replays and duplicates of what still runs; answers stay longer. */
  public static TieredSettings forFallback() {
    return CACHE.withLongestStay(Duration.ofHours(1)).withBusyFor(Duration.ofSeconds(1));
  }

  public TieredSettings withTimeout(Duration timeout) {
    return new TieredSettings(timeout, longestStay, busyFor, restAfterFailures, onFallback);
  }

  public TieredSettings withLongestStay(Duration longestStay) {
    return new TieredSettings(timeout, longestStay, busyFor, restAfterFailures, onFallback);
  }

  public TieredSettings withBusyFor(Duration busyFor) {
    return new TieredSettings(timeout, longestStay, busyFor, restAfterFailures, onFallback);
  }

  public TieredSettings withRestAfterFailures(Duration restAfterFailures) {
    return new TieredSettings(timeout, longestStay, busyFor, restAfterFailures, onFallback);
  }

  public TieredSettings withOnFallback(Runnable onFallback) {
    return new TieredSettings(timeout, longestStay, busyFor, restAfterFailures, onFallback);
  }

  private static void check(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + least + " to " + most + ")");
    }
  }
}
