package dev.once.simulation;

import dev.once.core.OperationId;
import java.time.Duration;

/**
 * A put, and what is known of its origin. Times are true ones, in nanoseconds.
 *
 * @param saidAt when the database said what it tells
 * @param askedAt when the tiered store asked for it
 * @param clock the node's, by which its life was measured
 * @param measured how long that had to be measured
 * @param clockLost how far the cache's clock had gone back when the process last heard of it, in
 *     milliseconds
 * @param releases the highest fence that a person had released by then; 0 if none
 */
record CachePut(
    OperationId id,
    CacheValue value,
    Duration life,
    long saidAt,
    long askedAt,
    NodeClock clock,
    long measured,
    long clockLost,
    long releases) {

  /** Clocks of stores count milliseconds. */
  private static final long ROUNDING = 2_000_000;

  /** By how much its life may be wrong: the node's clock is, or has jumped since. */
  long slack() {
    return ROUNDING + clock.slack(measured);
  }
}
