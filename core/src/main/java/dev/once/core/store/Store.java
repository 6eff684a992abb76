package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where records are kept. Each method is one atomic step, judged by the store's clock and by the
 * fence, and costs one round trip. None blocks the caller, unless it is one that waits ({@link
 * WaitingCaller}); none waits for an operation to end.
 *
 * <p>A record that has passed its expiry is absent, for every method, whether purged or not.
 *
 * <p>A stage that fails says that the outcome is unknown: the step may or may not have been taken,
 * and each of them may be tried again. {@link NotTakenException} says that it was not taken, {@link
 * RecordFormatException} that there is a record which cannot be read. After {@link #close} every
 * step fails, and none is left without an end. The store contract ({@code once-tck}) states all of
 * this as tests.
 */
public interface Store extends AutoCloseable {

  /**
   * Asks for the right to run.
   *
   * <ol>
   *   <li>Absent: a record in state processing, a fence higher than any the operation ever had, its
   *       lease end, and its expiry one retention after the lease end. {@link Claim.Granted}.
   *   <li>Processing, with this request's token: the reply to an earlier try was lost. The same
   *       {@link Claim.Granted} again.
   *   <li>Processing, lease not over: {@link Claim.Busy}.
   *   <li>Processing, lease over: taken over as in 1 with the next attempt if the request allows a
   *       takeover and has the stored fingerprint, else {@link Claim.Abandoned}.
   *   <li>Done or failed: {@link Claim.Finished}.
   * </ol>
   *
   * Nothing is written unless the claim is granted.
   */
  CompletionStage<Claim> claim(ClaimRequest request);

  /**
   * Records the answer and keeps it for the retention time. True if this lease's answer is the
   * recorded one, also when an earlier try recorded it; a recorded answer never changes. False if
   * the lease is not the current one: nothing is written.
   *
   * <p>A lease that is over but was not taken over is still the current one. A body larger than
   * {@link StoreCapabilities#maxAnswerBytes} is an {@link IllegalArgumentException}.
   */
  CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention);

  /** Removes the processing record, so that a retry may run. False if the lease is not current. */
  CompletionStage<Boolean> release(Lease lease);

  /**
   * Takes back a claim whose reply never came: removes the record that was granted to this token,
   * if it is still processing, so that a retry may run. Never grants, and touches no record of
   * another token, nor one that has an answer. True if there was one to remove.
   *
   * <p>It says nothing about a claim that is still under way and arrives later: whoever withdraws
   * does so again for a while.
   */
  default CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return CompletableFuture.failedFuture(new UnsupportedOperationException("withdraw"));
  }

  /**
   * Moves the lease end to this far from now, and the expiry with it. False if the lease is not the
   * current one, or the operation has ended.
   */
  CompletionStage<Boolean> renew(Lease lease, Duration length);

  /** Deletes up to this many expired records; says how many. Safe on all nodes at once. */
  CompletionStage<Integer> purgeExpired(int atMost);

  /** What this store can and cannot do. */
  StoreCapabilities capabilities();

  /** For people: look at records, and release one by hand. */
  Inspection inspection();

  /**
   * Calls {@code wake} soon after the operation ends, as often as it likes and possibly never: a
   * hint that saves polling. Without {@link StoreCapabilities#wakeUp} it is never called.
   */
  default Watch watch(OperationId id, Runnable wake) {
    return () -> {};
  }

  @Override
  void close();

  /** A watch, to be closed by whoever asked for it. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
