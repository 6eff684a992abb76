package dev.once.core;

import org.jspecify.annotations.Nullable;

/** What became of an operation: the end of {@link Once#run} and of an {@link Execution}. */
public sealed interface Result {

  /**
   * The answer, of this run or recorded by an earlier one.
   *
   * @throws RefusedException if there is none to give
   */
  default Answer orElseThrow() {
    if (this instanceof Executed executed) {
      return executed.answer();
    }
    if (this instanceof Replayed replayed) {
      return replayed.answer();
    }
    Refused refused = (Refused) this;
    throw refused.unrecordedAnswer() == null
        ? new RefusedException("operation", refused.refusal())
        : new RefusedException("operation", refused.refusal(), refused.unrecordedAnswer(), null);
  }

  /**
   * The handler ran, and this is its answer.
   *
   * @param recorded whether retries will get it: false if the policy released the key, or if the
   *     operation ran unprotected
   */
  record Executed(Answer answer, boolean recorded) implements Result {}

  /** The handler did not run: this is the recorded answer. */
  record Replayed(Answer answer) implements Result {}

  /**
   * There is no answer to give to a client.
   *
   * @param unrecordedAnswer what the handler answered, if it ran and that was not recorded; null if
   *     it did not run. For the caller's own use, to look for the effect or to undo it: it is not
   *     the operation's answer, and a retry may be told something else.
   */
  record Refused(Refusal refusal, @Nullable Answer unrecordedAnswer) implements Result {

    /** Refused without a run. */
    public Refused(Refusal refusal) {
      this(refusal, null);
    }
  }
}
