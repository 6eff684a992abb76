package dev.once.simulation;

/** A mistake put into the store on purpose: a simulation that does not see it proves nothing. */
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
  RECORD_DROPPED_WHEN_RECORDING_FAILS
}
