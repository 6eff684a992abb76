package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Lease;
import java.time.Duration;

/** A store's reply to a {@link ClaimRequest}. */
public sealed interface Claim {

  /** The right to run is the caller's. */
  record Granted(Lease lease) implements Claim {}

  /** A reply about a record that is there already, with the fingerprint it was claimed with. */
  sealed interface Taken extends Claim {
    Fingerprint fingerprint();
  }

  /**
   * Somebody runs it.
   *
   * @param leaseRemaining by the store's clock; a duration, so that no two clocks are compared
   */
  record Busy(Fingerprint fingerprint, Duration leaseRemaining) implements Taken {}

  /** It has ended, with this answer. */
  record Finished(Fingerprint fingerprint, Answer answer) implements Taken {}

  /** Its owner's lease is over, there is no answer, and this claim may not take it over. */
  record Abandoned(Fingerprint fingerprint, Fence fence) implements Taken {}
}
