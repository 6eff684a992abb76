package dev.once.core;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnStoreDown;
import dev.once.core.Refusal.Reason;
import dev.once.core.WaitingDuplicates.Waiter;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The algorithm. Everything else in Once translates to and from it.
 *
 * <p>To begin an operation:
 *
 * <ol>
 *   <li>If there was no room for a record, claim nothing until a write succeeds ({@link
 *       RecordingHealth}).
 *   <li>Claim it: one atomic step of the store. If that fails, ask once more with the same token:
 *       the store recognises a claim that it granted while the reply was lost. Not if the store
 *       says that it did not take the step, and not if it took all the time that it had.
 *   <li>Granted: proceed. The lease is renewed until the execution ends.
 *   <li>Taken, with another fingerprint: refuse as a mismatch, before anything else is said.
 *   <li>Finished: replay.
 *   <li>Busy: refuse; or wait, and claim again.
 *   <li>Abandoned: the owner crashed, and this claim may not take over. Refuse.
 *   <li>No reply: refuse; or go on unprotected.
 *   <li>Whatever was said, if this claim is not run and one of its tries is in doubt, it may have
 *       been granted all the same, or be granted yet: withdraw it ({@link Withdrawals}). If it is
 *       run, do so after the end, unless the answer holds the key.
 * </ol>
 *
 * <p>To finish it with an answer:
 *
 * <ol>
 *   <li>If the policy does not keep answers of this outcome, release the key and give the answer.
 *   <li>Else record it. When the store says that it did, and not before, give the answer.
 *   <li>The store says that the lease is not the current one: another owner took over. Give no
 *       answer; a retry gets the recorded one.
 *   <li>The store does not say: ask again, for as long as one lease; the caller waits less, and is
 *       told that the outcome is unknown; at once if there was no room. Then give up, and leave the
 *       claim alone. To drop it would be to run the operation again blindly.
 *   <li>A release that the store does not confirm becomes a withdrawal.
 * </ol>
 *
 * <p>Ownership is the fence, and only the store judges it. The engine compares no clocks. It takes
 * nothing over from itself while it knows that its lease is not over: a store's clock may be set.
 */
final class Engine {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  private static final Duration FIRST_RETRY = Duration.ofMillis(20);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

  private final Settings settings;
  private final Scheduler scheduler;
  private final StoreCalls store;
  private final OnceListener listener;
  private final Renewals renewals;
  private final WaitingDuplicates waiting;
  private final Withdrawals withdrawals;
  private final RecordingHealth recording;
  private final int maxBody;
  private volatile boolean closed;

  Engine(Settings settings, StoreCalls store) {
    this.settings = settings;
    this.scheduler = settings.scheduler();
    this.store = store;
    this.listener = settings.listener();
    this.renewals = new Renewals(store, settings);
    this.waiting = new WaitingDuplicates(settings);
    this.withdrawals = new Withdrawals(store, settings, Withdrawals.MAX);
    this.recording = new RecordingHealth(store, settings);
    this.maxBody = settings.store().capabilities().maxAnswerBytes();
  }

  CompletableFuture<Boolean> canRecord() {
    return closed ? completedFuture(false) : recording.probe();
  }

  int waiters() {
    return waiting.count();
  }

  void close() {
    closed = true;
    waiting.close();
    renewals.close();
    withdrawals.close();
  }

  // To begin.

  CompletableFuture<Begun> begin(Operation operation) {
    if (closed) {
      return failedFuture(new IllegalStateException("once: closed (expected: open)"));
    }
    Policy policy = operation.policy();
    ClaimRequest request =
        new ClaimRequest(
            operation.id(),
            operation.fingerprint(),
            settings.random().nextLong(),
            policy.lease(),
            policy.retention(),
            policy.onCrash() == OnCrash.RUN_AGAIN);
    ClaimTries tries = new ClaimTries(request);
    CompletableFuture<Begun> begun = claim(operation, tries, null);
    return begun.isDone() && !begun.isCompletedExceptionally()
        ? completedFuture(noted(operation, begun.join(), tries))
        : begun.thenApply(what -> noted(operation, what, tries));
  }

  private Begun noted(Operation operation, Begun begun, ClaimTries tries) {
    boolean runs = begun instanceof Begun.Proceed proceed && proceed.execution().isProtected();
    if (!runs) {
      withdrawals.add(tries);
    }
    listener.decided(operation, begun);
    return begun;
  }

  private CompletableFuture<Begun> claim(
      Operation operation, ClaimTries tries, @Nullable Waiter waiter) {
    return recording.works()
        ? claimNow(operation, tries, waiter)
        : recording
            .probe()
            .thenCompose(
                works ->
                    works
                        ? claimNow(operation, tries, waiter)
                        : replayOrRefuse(operation, tries, waiter));
  }

  /** Nothing more is claimed; but what has been recorded is given. */
  private CompletableFuture<Begun> replayOrRefuse(
      Operation operation, ClaimTries tries, @Nullable Waiter waiter) {
    return store
        .find(operation.id())
        .handle(
            (found, failure) ->
                failure == null && found.isPresent() && found.get().status() != Status.PROCESSING
                    ? claimNow(operation, tries, waiter)
                    : completedFuture(noReply(operation, tries, new CannotRecordException())))
        .thenCompose(Function.identity());
  }

  /** Nothing was asked of the store. */
  private static final class CannotRecordException extends StepNotTakenException {
    private static final long serialVersionUID = 1;

    CannotRecordException() {
      super("an answer could not be recorded, and nothing could be since");
    }
  }

  private CompletableFuture<Begun> claimNow(
      Operation operation, ClaimTries tries, @Nullable Waiter waiter) {
    boolean leasedHere = renewals.holdsLease(operation);
    ClaimRequest request = leasedHere ? tries.request.withoutTakeover() : tries.request;
    CompletableFuture<Claim> claim = ask(tries, request);
    if (claim.isDone() && !claim.isCompletedExceptionally()) {
      return decide(operation, tries, seen(operation, claim.join(), leasedHere), waiter);
    }
    return claim
        .exceptionallyCompose(failure -> askOnceMore(tries, request, StoreCalls.cause(failure)))
        .handle(
            (reply, failure) ->
                failure == null
                    ? decide(operation, tries, seen(operation, reply, leasedHere), waiter)
                    : completedFuture(noReply(operation, tries, StoreCalls.cause(failure))))
        .thenCompose(Function.identity());
  }

  /** What runs here, with a lease, is not abandoned: the store's clock was set. */
  private static Claim seen(Operation operation, Claim reply, boolean leasedHere) {
    return leasedHere && reply instanceof Claim.Abandoned abandoned
        ? new Claim.Busy(abandoned.fingerprint(), operation.policy().lease())
        : reply;
  }

  private CompletableFuture<Claim> ask(ClaimTries tries, ClaimRequest request) {
    return store.claim(request, (reply, failure) -> withdrawals.repliedLate(tries, reply, failure));
  }

  private CompletableFuture<Claim> askOnceMore(
      ClaimTries tries, ClaimRequest request, Throwable failure) {
    if (ClaimTries.isReply(failure) || failure instanceof StoreCalls.NoReplyException) {
      return failedFuture(failure);
    }
    withdrawals.failed(tries, failure);
    return after(FIRST_RETRY, () -> ask(tries, request));
  }

  private CompletableFuture<Begun> decide(
      Operation operation, ClaimTries tries, Claim claim, @Nullable Waiter waiter) {
    if (claim instanceof Claim.Granted granted) {
      return completedFuture(new Begun.Proceed(start(operation, tries, granted.lease())));
    }
    Claim.Taken taken = (Claim.Taken) claim;
    return taken instanceof Claim.Busy busy
            && operation.policy().onBusy() == OnBusy.WAIT
            && taken.fingerprint().equals(operation.fingerprint())
        ? await(operation, tries, busy, waiter)
        : completedFuture(Begun.forExistingRecord(operation, taken));
  }

  private LeasedExecution start(Operation operation, ClaimTries tries, Lease lease) {
    LeasedExecution execution =
        new LeasedExecution(this, operation, tries, lease, scheduler.nanoTime());
    renewals.add(execution);
    return execution;
  }

  /** Pauses, and claims again: by then it may be finished, free or abandoned. */
  private CompletableFuture<Begun> await(
      Operation operation, ClaimTries tries, Claim.Busy busy, @Nullable Waiter known) {
    Waiter waiter = known == null ? waiting.admit(operation) : known;
    if (waiter == null) {
      return busy("The first request with this key still runs, and too many wait for answers.");
    }
    CompletableFuture<Begun> begun =
        waiter.isOver()
            ? busy("The first request with this key still runs, and this one waited long enough.")
            : waiter
                .pause(busy.leaseRemaining(), renewals.running(operation))
                .thenCompose(
                    answer ->
                        answer.isPresent()
                            ? completedFuture(new Begun.Replay(answer.get()))
                            : claim(operation, tries, waiter));
    return known == null ? begun.whenComplete((any, failure) -> waiter.leave()) : begun;
  }

  private Begun noReply(Operation operation, ClaimTries tries, Throwable failure) {
    withdrawals.failed(tries, failure);
    if (failure instanceof StoreFullException) {
      return new Begun.Refuse(
          new Refusal(
              Reason.OVER_QUOTA, String.valueOf(failure.getMessage()), Refusal.ASK_AGAIN_AFTER));
    }
    if (failure instanceof RecordFormatException) {
      // There is a record: to go on would be to run the operation again.
      log.error(
          "{}: its record cannot be read: {}",
          OperationLog.describe(operation),
          failure.toString());
      return new Begun.Refuse(Refusal.unreadable());
    }
    if (operation.policy().onStoreDown() == OnStoreDown.GO_ON) {
      log.error(
          "{}: store failed, going on UNPROTECTED: {}",
          OperationLog.describe(operation),
          failure.toString());
      return new Begun.Proceed(
          new LeasedExecution(this, operation, tries, null, scheduler.nanoTime()));
    }
    log.error(
        "{}: store failed, refused: {}", OperationLog.describe(operation), failure.toString());
    return new Begun.Refuse(
        new Refusal(
            Reason.STORE_DOWN,
            failure instanceof CannotRecordException
                ? "Answers cannot be recorded at the moment. Nothing was done; try again."
                : "The store of idempotency keys did not answer. Nothing was done; try again.",
            Refusal.ASK_AGAIN_AFTER));
  }

  // To finish.

  CompletableFuture<Result> finish(LeasedExecution execution, Answer answer) {
    CompletableFuture<Result> result = end(execution, answer);
    return result.thenApply(
        told -> {
          listener.ended(execution, told);
          return told;
        });
  }

  private CompletableFuture<Result> end(LeasedExecution execution, Answer answer) {
    if (!execution.isProtected()) {
      return completedFuture(new Result.Executed(answer, false));
    }
    Policy policy = execution.operation().policy();
    Optional<Answer> keeps = policy.kept(answer, maxBody);
    if (keeps.isEmpty()) {
      return free(execution).thenApply(freed -> new Result.Executed(answer, false));
    }
    Answer kept = keeps.get();
    CompletableFuture<Result> told = new CompletableFuture<>();
    long start = scheduler.nanoTime();
    tryFor(
            start,
            policy.lease(),
            () -> record(execution.lease(), kept, policy.retention()),
            failure -> limitWait(execution, answer, start, failure, told))
        .whenComplete(
            (recorded, failure) -> {
              boolean done = Boolean.TRUE.equals(recorded);
              // A reply that came late may be of an answer that has expired: waiters ask the store.
              boolean inForce = done && scheduler.nanoTime() - start < policy.retention().toNanos();
              renewals.remove(execution, inForce ? Optional.of(kept) : Optional.empty());
              if (done) {
                if (!told.complete(new Result.Executed(answer, true))) {
                  log.info("{}: its answer is recorded after all", execution.operation().id());
                }
              } else if (failure == null) {
                withdrawals.add(execution.tries());
                told.complete(lost(execution, answer));
              } else {
                told.complete(unrecorded(execution, answer, StoreCalls.cause(failure)));
              }
            });
    return told;
  }

  private CompletableFuture<Boolean> record(Lease lease, Answer kept, Duration retention) {
    CompletableFuture<Boolean> reply = store.complete(lease, kept, retention);
    if (reply.isDone() && !reply.isCompletedExceptionally()) {
      noteRecord(kept, reply.join(), null);
      return reply;
    }
    return reply.whenComplete((recorded, failure) -> noteRecord(kept, recorded, failure));
  }

  private void noteRecord(Answer kept, @Nullable Boolean recorded, @Nullable Throwable failure) {
    if (failure != null) {
      recording.failed(kept, StoreCalls.cause(failure));
    } else if (Boolean.TRUE.equals(recorded)) {
      recording.succeeded(kept);
    }
  }

  /** The store does not reply at once. It is asked again for longer than a caller likes to wait. */
  private void limitWait(
      LeasedExecution execution,
      Answer answer,
      long start,
      Throwable failure,
      CompletableFuture<Result> told) {
    if (RecordingHealth.isFull(failure)) {
      told.complete(unrecorded(execution, answer, failure)); // room is not made in a moment
      return;
    }
    Duration limit = recordTimeout(execution);
    long left = Math.max(0, limit.toNanos() - (scheduler.nanoTime() - start));
    Scheduler.Timer timer =
        scheduler.schedule(
            Duration.ofNanos(left),
            () -> told.complete(unrecorded(execution, answer, new RecordTimeout(limit))));
    told.whenComplete((any, failed) -> timer.cancel());
  }

  private static final class RecordTimeout extends StoreException {
    private static final long serialVersionUID = 1;

    RecordTimeout(Duration limit) {
      super("recording: no success within " + limit + "; tried again in the background", null);
    }
  }

  private Duration recordTimeout(LeasedExecution execution) {
    Duration lease = execution.operation().policy().lease();
    return lease.compareTo(settings.recordTimeout()) < 0 ? lease : settings.recordTimeout();
  }

  private Result lost(LeasedExecution execution, Answer answer) {
    log.warn("{}: answer not recorded, another owner took over", execution.operation().id());
    execution.markLost();
    return new Result.Refused(
        new Refusal(
            Reason.OWNERSHIP_LOST,
            "The operation took longer than its lease, and another request took it over. Retry to"
                + " get the answer of that request.",
            Refusal.ASK_AGAIN_AFTER),
        answer);
  }

  private static Result unrecorded(LeasedExecution execution, Answer answer, Throwable failure) {
    log.error(
        "{}: ran, but its answer could not be recorded: {}",
        execution.operation().id(),
        failure.toString());
    return unrecorded(
        "The operation ran, but its answer could not be recorded. Its key stays taken.", answer);
  }

  static Result unrecorded(String detail, @Nullable Answer answer) {
    return new Result.Refused(new Refusal(Reason.OUTCOME_UNKNOWN, detail, null), answer);
  }

  /** Ends with what the handler threw. */
  CompletableFuture<Result> fail(LeasedExecution execution, Throwable thrown) {
    Thrown what = Thrown.of(thrown);
    if (what == Thrown.FAILURE || !execution.isProtected()) {
      return finish(execution, answerFor(thrown));
    }
    if (what == Thrown.NOTHING_DONE) {
      Result notKept = new Result.Executed(answerFor(thrown), false);
      return release(execution).thenApply(freed -> notKept);
    }
    log.error("{}: broke off: {}", execution.operation().id(), thrown.toString());
    abandon(execution);
    return completedFuture(
        unrecorded("The operation broke off: whether it took effect is not known.", null));
  }

  CompletableFuture<Boolean> release(LeasedExecution execution) {
    return free(execution)
        .thenApply(
            freed -> {
              listener.released(execution);
              return freed;
            });
  }

  private CompletableFuture<Boolean> free(LeasedExecution execution) {
    if (!execution.isProtected()) {
      return completedFuture(false);
    }
    return tryFor(
            scheduler.nanoTime(),
            recordTimeout(execution),
            () -> store.release(execution.lease()),
            failure -> {})
        .handle(
            (freed, failure) -> {
              renewals.remove(execution, Optional.empty());
              if (failure == null) {
                withdrawals.add(execution.tries());
              } else {
                log.error(
                    "{}: key not released yet: {}", execution.operation().id(), failure.toString());
                withdrawals.addUnreleased(execution.tries());
              }
              return failure == null && freed;
            });
  }

  void abandon(LeasedExecution execution) {
    if (execution.isProtected()) {
      log.warn("{}: left without an answer", execution.operation().id());
      renewals.remove(execution, Optional.empty());
    }
    listener.abandoned(execution);
  }

  /**
   * Tries again, ever more rarely, until there is a reply or the time is over.
   *
   * @param start what the clock says now
   * @param onTrouble called if the first try fails
   */
  private <T> CompletableFuture<T> tryFor(
      long start,
      Duration time,
      Supplier<CompletableFuture<T>> step,
      Consumer<Throwable> onTrouble) {
    CompletableFuture<T> reply = step.get();
    return reply.isDone() && !reply.isCompletedExceptionally()
        ? reply
        : reply.exceptionallyCompose(
            failure -> {
              onTrouble.accept(StoreCalls.cause(failure));
              long deadline = start + time.toNanos();
              return tryAgain(deadline, FIRST_RETRY, step, StoreCalls.cause(failure));
            });
  }

  private <T> CompletableFuture<T> tryAgain(
      long deadline, Duration pause, Supplier<CompletableFuture<T>> step, Throwable failure) {
    boolean over = deadline - scheduler.nanoTime() - pause.toNanos() <= 0;
    return closed || over || failure instanceof StoreClosedException
        ? failedFuture(failure)
        : after(pause, step)
            .exceptionallyCompose(
                next -> tryAgain(deadline, longer(pause), step, StoreCalls.cause(next)));
  }

  private Answer answerFor(Throwable cause) {
    try {
      return Objects.requireNonNull(settings.failureAnswer().apply(cause), "null");
    } catch (Throwable e) { // Kotlin throws checked ones too
      log.error("failureAnswer failed for {}; recording a plain failure", cause.toString(), e);
      return Answer.failure(500, Body.EMPTY);
    }
  }

  // Small steps.

  private <T> CompletableFuture<T> after(Duration pause, Supplier<CompletableFuture<T>> step) {
    CompletableFuture<Void> due = new CompletableFuture<>();
    scheduler.schedule(settings.jitter(pause), () -> due.complete(null));
    return due.thenCompose(ignored -> step.get());
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_RETRY) < 0 ? twice : LONGEST_RETRY;
  }

  private static CompletableFuture<Begun> busy(String detail) {
    return completedFuture(new Begun.Refuse(Refusal.busy(detail)));
  }
}
