package dev.once.core;

/** What became of an operation: the end of {@link Once#run} and of an {@link Execution}. */
public sealed interface Result {

  /**
   * The handler ran, and this is its answer.
   *
   * @param recorded whether retries will get it: false if the policy released the key, or if the
   *     operation ran unprotected
   */
  record Executed(Answer answer, boolean recorded) implements Result {}

  /** The handler did not run: this is the recorded answer. */
  record Replayed(Answer answer) implements Result {}

  /** There is no answer to give. */
  record Refused(Refusal refusal) implements Result {}
}
