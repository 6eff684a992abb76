package dev.once.simulation;

import dev.once.core.OperationId;
import java.time.Duration;

/**
 * A put, and what is known of its origin. Times are true ones, in nanoseconds.
 *
 * @param repliedAt when the database replied what is put
 * @param askedAt when the tiered store asked for it
 * @param clock the clock of the node, by which its life was measured
 * @param measuredFor how long a time that clock had to measure
 * @param clockSetBack by how much the cache's clock had been set back when the process last read
 *     it, in milliseconds
 * @param releases the highest fence that a person had released by then; 0 if none
 */
record CachePut(
    OperationId id,
    CacheValue value,
    Duration life,
    long repliedAt,
    long askedAt,
    NodeClock clock,
    long measuredFor,
    long clockSetBack,
    long releases) {

  /** Clocks of stores count milliseconds. */
  private static final long ROUNDING = 2_000_000;

  /** By how much its life may be wrong: the node's clock is, or has jumped since. */
  long slack() {
    return ROUNDING + clock.slack(measuredFor);
  }
}
