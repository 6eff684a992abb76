package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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

  /**
   * It has ended, with this answer.
   *
   * @param remaining how much longer the record is kept, by the store's clock, for whoever wants to
   *     keep the answer in front of the store; zero if the store does not say
   */
  record Finished(Fingerprint fingerprint, Answer answer, Duration remaining) implements Taken {

    /** From a store that does not say how much longer the record is kept. */
    public Finished(Fingerprint fingerprint, Answer answer) {
      this(fingerprint, answer, Duration.ZERO);
    }

    // The same reply a moment later: what remains is not part of what was said.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Finished that
          && fingerprint.equals(that.fingerprint)
          && answer.equals(that.answer);
    }

    @Override
    public int hashCode() {
      return 31 * fingerprint.hashCode() + answer.hashCode();
    }
  }

  /** Its owner's lease is over, there is no answer, and this claim may not take it over. */
  record Abandoned(Fingerprint fingerprint, Fence fence) implements Taken {}
}
