package dev.once.core;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.Claim;

/** What {@link Once#begin} says to do. */
public sealed interface Begun {

  /** Run the handler, and end the execution. */
  record Proceed(Execution execution) implements Begun {}

  /** Give this recorded answer; do not run. */
  record Replay(Answer answer) implements Begun {}

  /** Give this refusal; do not run. */
  record Refuse(Refusal refusal) implements Begun {}

  /**
   * What to do about an operation whose record is there already: replay or refuse. For whoever
   * claims without {@link Once}, in a transaction of the application.
   */
  static Begun forExistingRecord(Operation operation, Claim.Taken taken) {
    if (!taken.fingerprint().equals(operation.fingerprint())) {
      return new Refuse(
          new Refusal(
              Reason.MISMATCH,
              "The key was used before, for another request. Use a new key for a new request.",
              null));
    }
    if (taken instanceof Claim.Finished finished) {
      return new Replay(finished.answer());
    }
    if (taken instanceof Claim.Busy) {
      return new Refuse(Refusal.busy("The first request with this key still runs."));
    }
    return new Refuse(
        operation.policy().onCrash() == OnCrash.HOLD
            ? Refusal.busy("The first request with this key has not ended, and its key is held.")
            : new Refusal(
                Reason.OUTCOME_UNKNOWN,
                "The first request with this key began and did not end: whether it took effect is"
                    + " not known. Look for its effect; then release the key, or use a new one.",
                null));
  }
}
