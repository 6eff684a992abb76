package dev.once.simulation;

/**
 * A mistake put into the store, or between it and the engine, on purpose: a simulation that does
 * not see it proves nothing.
 */
public enum Mutant {
  /** The correct store. */
  NONE,
  /** {@code complete} records for whoever asks. */
  NO_FENCE_ON_COMPLETE,
  /** Lease ends are written and judged by the clock of the node that asks. */
  LEASE_JUDGED_BY_NODE_CLOCK,
  /** {@code claim} reads, and writes a little later without looking again. */
  CLAIM_AS_READ_THEN_WRITE,
  /** {@code release} removes the record whoever owns it. */
  RELEASE_WITHOUT_FENCE,
  /** A {@code complete} that fails, or whose reply is lost, takes the record with it. */
  RECORD_DROPPED_WHEN_RECORDING_FAILS,
  /** {@code withdraw} removes the record whatever its token. */
  WITHDRAW_WITHOUT_TOKEN,
  /** A claim is withdrawn by claiming it once more and releasing it. */
  WITHDRAW_BY_CLAIM,
  /** A claim is withdrawn once, and not again. */
  WITHDRAW_ONCE,
  /** A claim whose last try was refused is not withdrawn, whatever became of its first one. */
  ONLY_LAST_FAILURE_SEEN,
  /** A hundred claims are withdrawn, and no more. */
  HUNDRED_WITHDRAWALS,
  /** Every claim is asked for twice. */
  CLAIM_ASKED_TWICE,
  /** Timers of the nodes come three times as late as they should. */
  SLOW_TIMERS,
  /** Whoever waited goes on being told. */
  WATCH_LEFT_OPEN,
  /** The cache keeps what was put last, whatever was there. */
  CACHE_IGNORES_RANKS,
  /** The cache takes a put however long it was under way. */
  CACHE_TAKES_LATE_PUTS,
  /** A tiered store puts the answer before the database has recorded it. */
  ANSWER_PUT_UNRECORDED,
  /** A tiered store puts what it asked the database for long ago. */
  OLD_ANSWER_PUT,
  /** A tiered store keeps each answer in the cache for ten minutes. */
  ANSWER_PUT_BEYOND_EXPIRY,
  /** A tiered store lets the cache say for ten minutes that something runs. */
  BUSY_MARK_STAYS,
  /** A tiered store does not know its own claims. */
  OWN_CLAIM_CALLED_BUSY,
  /** A tiered store grants what the cache does not have. */
  GRANTED_BY_CACHE,
  /** A tiered store does not tell the cache what a person has released. */
  RELEASE_NOT_TOLD
}
