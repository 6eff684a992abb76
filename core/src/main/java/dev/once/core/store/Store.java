package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.store.spi.WaitingCaller;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Where records are kept. Each method is one atomic step, judged by the store's clock and by the
 * fence, and costs one round trip. None blocks the caller, unless it is one that waits ({@link
 * WaitingCaller}); none waits for an operation to end.
 *
 * <p>A record is found by its {@link dev.once.core.OperationId} alone: tenant, user, route and key,
 * each of them exactly as it is, whatever bytes and characters are in it. What it holds is in
 * {@link OperationRecord}; besides that the token of the claim that it was granted to, until it has
 * an answer. A lease is the <em>current</em> one if its fence is the record's; its end has no part
 * in that. A token says nothing about another operation that has the same.
 *
 * <p>A record that has passed its expiry is absent, for every method, whether purged or not. No
 * replay and no refused step puts the expiry off.
 *
 * <p>A stage that fails says that the outcome is unknown: the step may or may not have been taken,
 * and each of them may be tried again. {@link StepNotTakenException} says that it was not taken and
 * never will be, {@link RecordFormatException} that there is a record which cannot be read. After
 * {@link #close} every step, those of the {@link #inspection} too, fails with a {@link
 * StoreClosedException}, so that nobody tries again, and none that was under way is left without an
 * end; other handles on the same data go on. A step may fail in its stage or by throwing.
 *
 * <p>Many steps may be in flight at once, also of one operation, and each has a reply of its own.
 * The store contract ({@code once-tck}) states all of this as tests.
 */
public interface Store extends AutoCloseable {

  /**
   * Asks for the right to run.
   *
   * <ol>
   *   <li>Absent: a record in state processing and with attempt 1, whatever there was before; a
   *       fence higher than any the operation ever had, also in records that were released,
   *       withdrawn, expired or purged since; the time of this request, its lease end, and its
   *       expiry one retention after the lease end. {@link Claim.Granted}.
   *   <li>Processing, with this request's token, the lease over or not: the reply to an earlier try
   *       was lost. The same {@link Claim.Granted} again, whatever else the request asks for;
   *       nothing is written, so the lease end stays.
   *   <li>Processing, lease not over: {@link Claim.Busy}, with the stored fingerprint and what is
   *       left of the lease.
   *   <li>Processing, lease over: taken over if the request allows a takeover and has the stored
   *       fingerprint, its version included. That is as 1, with the next attempt; the time of the
   *       request stays the first one's, so that people see how long the operation takes in all.
   *       Else {@link Claim.Abandoned}, with the stored fingerprint and fence.
   *   <li>Done or failed: {@link Claim.Finished}, with the stored fingerprint and answer, also for
   *       the token that it was granted to.
   * </ol>
   *
   * Nothing is written unless 1 applies, or 4 with a takeover. The token, lease and retention are
   * any that a {@link ClaimRequest} can have: any 64 bits, and from one millisecond to ten years.
   */
  CompletionStage<Claim> claim(ClaimRequest request);

  /**
   * Records the answer and the time, and keeps them for the retention time from now on. True if
   * this lease's answer is the recorded one, also when an earlier try recorded it; a recorded
   * answer never changes, whatever a later try brings. False if the lease is not the current one:
   * nothing is written. The answer comes back as it was, byte for byte, with its headers in order.
   *
   * <p>A lease that is over but was not taken over is still the current one. A body larger than
   * {@link StoreCapabilities#maxAnswerBytes} is an {@link IllegalArgumentException}, and the
   * operation still runs.
   */
  CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention);

  /**
   * Removes the processing record, its lease over or not, so that a retry may run, as if the
   * operation had never been claimed. False if the lease is not the current one, also because an
   * earlier try removed it, or if the operation has an answer.
   */
  CompletionStage<Boolean> release(Lease lease);

  /**
   * Takes back a claim whose reply never came, and whose fence is therefore not known: removes the
   * record that was granted to this token, if it is still processing, its lease over or not, so
   * that a retry may run, as attempt 1, also if this token had taken over. Never grants, and
   * touches no record of another token, nor one that was taken over from this token, nor one that
   * has an answer. Wakes those who watch, as a release does. True if there was one to remove; false
   * if not, also when an earlier try removed it.
   *
   * <p>It says nothing about a claim that is still under way and arrives later: that is granted
   * like any other, and whoever withdraws does so again for a while.
   */
  CompletionStage<Boolean> withdraw(OperationId id, long token);

  /**
   * Moves the lease end to this far from now, and the expiry by as much; nothing else changes. Also
   * if that is earlier than before, and if the lease was over and nobody took over. False if the
   * lease is not the current one, or the operation has ended.
   */
  CompletionStage<Boolean> renew(Lease lease, Duration length);

  /**
   * Deletes up to this many expired records; says how many, zero if there are none. Safe on all
   * nodes at once: each record is counted by one of them. A store that deletes expired records by
   * itself always says zero.
   */
  CompletionStage<Integer> purgeExpired(int atMost);

  /** What this store can and cannot do. */
  StoreCapabilities capabilities();

  /** For people: look at records, and release one by hand. */
  Inspection inspection();

  /**
   * Calls {@code wake} soon after the operation was completed, released or withdrawn, by whichever
   * process, as often as it likes and possibly never: a hint that saves polling. Each watch is for
   * itself: to close one leaves the others. Without {@link StoreCapabilities#wakeUp} it is never
   * called.
   */
  default Watch watch(OperationId id, Runnable wake) {
    return () -> {};
  }

  /** Ends it; to close twice is fine. */
  @Override
  void close();

  /** A watch, to be closed by whoever asked for it. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
