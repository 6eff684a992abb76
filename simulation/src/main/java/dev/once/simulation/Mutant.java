package dev.once.simulation;

/**
 * A mistake that is made on purpose: in the store, in the cache, around the tiered store, between
 * the engine and its store, or in the timers of the nodes. A simulation that does not catch it
 * proves nothing.
 */
public enum Mutant {
  /** No mistake. */
  NONE,
  /** {@code complete} does not check the fence. */
  NO_FENCE_ON_COMPLETE,
  /** Lease ends are written and judged by the clock of the node that asks. */
  LEASE_JUDGED_BY_NODE_CLOCK,
  /** {@code claim} reads, and writes a little later without looking again. */
  CLAIM_AS_READ_THEN_WRITE,
  /** {@code release} removes the record, whoever owns it. */
  RELEASE_WITHOUT_FENCE,
  /** A {@code complete} that fails, or whose reply is lost, takes the record with it. */
  RECORD_DROPPED_WHEN_RECORDING_FAILS,
  /** {@code withdraw} removes the record whatever its token. */
  WITHDRAW_WITHOUT_TOKEN,
  /** A claim is withdrawn by claiming it once more and releasing it. */
  WITHDRAW_BY_CLAIM,
  /** A claim is withdrawn once, and not again. */
  WITHDRAW_ONCE,
  /**
   * A claim whose last try was refused is not withdrawn, although an earlier try may be granted.
   */
  ONLY_LAST_FAILURE_SEEN,
  /** At most a hundred claims are withdrawn. */
  HUNDRED_WITHDRAWALS,
  /** Every claim is asked for twice. */
  CLAIM_ASKED_TWICE,
  /** Timers of the nodes fire three times as late as they should. */
  SLOW_TIMERS,
  /** The watch of a duplicate that has stopped waiting is not closed. */
  WATCH_LEFT_OPEN,
  /** The cache keeps the last put, although an older one has a higher rank. */
  CACHE_IGNORES_RANKS,
  /** The cache accepts a put however late it arrives. */
  CACHE_TAKES_LATE_PUTS,
  /** A tiered store puts the answer before the database has recorded it. */
  ANSWER_PUT_UNRECORDED,
  /** A tiered store puts an old reply of the database. */
  OLD_ANSWER_PUT,
  /** A tiered store keeps each answer in the cache for ten minutes. */
  ANSWER_PUT_BEYOND_EXPIRY,
  /** A tiered store lets the cache reply "busy" for ten minutes. */
  BUSY_MARK_STAYS,
  /** A tiered store takes its own claim for that of another caller, and replies "busy". */
  OWN_CLAIM_CALLED_BUSY,
  /** A tiered store grants a claim when the cache has nothing of its key. */
  GRANTED_BY_CACHE,
  /** A tiered store does not tell the cache what a person has released. */
  RELEASE_NOT_TOLD
}
