package dev.once.core;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * An operation that the caller may run, and must end: by {@link #complete}, {@link #fail}, {@link
 * #release} or {@link #abandon}. What a handler sees of it is the same whether its right to run is
 * a lease, which renews itself for as long as the policy's longest run, or the transaction that it
 * was claimed in.
 *
 * <p>Under a lease it is thread-safe, and one that has not ended by its longest run counts as
 * crashed once its lease is over. In a transaction it belongs, like the connection, to one thread
 * at a time, and if the transaction is rolled back none of it has happened.
 */
public interface Execution {

  Operation operation();

  /** False if the store was down and the policy said to go on: nothing is recorded. */
  boolean isProtected();

  /** The fence to pass on to whatever the handler writes to; empty if unprotected. */
  Optional<Fence> fence();

  /** 1, or more if earlier owners crashed; 1 again after a release or a withdrawal of the key. */
  int attempt();

  /**
   * Completed if the right to run is found lost, to another owner or because a person released the
   * key: whatever the handler still does will not be recorded. Never, in a transaction.
   */
  CompletionStage<Void> lost();

  /**
   * Ends with an answer. The stage says what to tell the client, after the answer was recorded. If
   * the store does not reply within {@link Once.Builder#recordTimeout} it says that the outcome is
   * unknown, and has the answer for whoever wants to do something about it; recording is then still
   * tried in the background, for as long as one lease.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  CompletionStage<Result> complete(Answer answer);

  /**
   * Ends with what the handler threw, by the rule of {@link Thrown}: released if it says that
   * nothing was done; abandoned if it is an interruption or an {@link Error}, which do not say what
   * was done; else kept or not, as the policy says for failures. In a transaction nothing is kept:
   * it is to be rolled back.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  CompletionStage<Result> fail(Throwable cause);

  /**
   * Ends without an answer: a retry may run. The stage is true if the store said that it freed the
   * key; false if the key has another owner, or the store did not say within {@link
   * Once.Builder#recordTimeout}: then it is still tried in the background.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  CompletionStage<Boolean> release();

  /**
   * Ends without an answer, as a crash would: the lease is not renewed any more, and when it is
   * over the crash policy decides. For a caller that cannot know whether the operation took effect,
   * or whether it still runs. A transaction is to be rolled back.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  void abandon();
}
