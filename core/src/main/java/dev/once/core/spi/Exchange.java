package dev.once.core.spi;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Thrown;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation that a surface runs for a client, from the granted claim until the client may have
 * the answer. It does no I/O: a surface says what happened, and is told what to deliver.
 *
 * <ol>
 *   <li>The engine, or a transaction, said to proceed: run the handler, and hold its answer back.
 *   <li>The handler {@linkplain #answered answered}: the answer is recorded, and then sent. An
 *       answer that says nothing about the operation ("not now", "not here", "not you") frees the
 *       key, and is sent.
 *   <li>It {@linkplain #notRun did not run}, or says that it did nothing: the key is free, and the
 *       surface says so.
 *   <li>It {@linkplain #failed threw}: by the rule of {@link Thrown} that is one of the others, or
 *       an answer like any other.
 *   <li>It {@linkplain #outcomeUnknown broke off}, and nobody knows what it did: the key stays
 *       taken, the crash policy decides after the lease, and the client is told that nobody knows.
 *   <li>The answer cannot be recorded, because of what it is, or because the store does not say
 *       that it is, or because another owner has taken over: the client gets the refusal, and
 *       nothing of the answer. If it has part of it already, it is cut off.
 *   <li>Whatever comes after one of these changes nothing.
 * </ol>
 *
 * <p>Thread-safe, unless the execution is not.
 */
public final class Exchange {

  private static final Logger log = LoggerFactory.getLogger(Exchange.class);

  private final Execution execution;
  private final BooleanSupplier partlySent;
  private final AtomicBoolean over = new AtomicBoolean();

  /**
   * @param partlySent whether the client has part of the answer, at the time of the question
   */
  public Exchange(Execution execution, BooleanSupplier partlySent) {
    this.execution = execution;
    this.partlySent = partlySent;
  }

  /**
   * What to do about an operation that could not be begun, because something threw. The listener is
   * told; nobody else has.
   *
   * @param operation null if that is what failed
   */
  public static Begun notBegun(
      OnceListener listener, @Nullable Operation operation, @Nullable Throwable failure) {
    Refusal refusal =
        new Refusal(
            Reason.STORE_DOWN,
            "Idempotency keys cannot be checked. Nothing was done; try again.",
            null);
    log.error("an operation could not be begun ({})", refusal.id(), failure);
    Begun begun = new Begun.Refuse(refusal);
    if (operation != null) {
      listener.decided(operation, begun);
    }
    return begun;
  }

  public Execution execution() {
    return execution;
  }

  /** Whether it has ended; the end may not be recorded yet. */
  public boolean isOver() {
    return over.get();
  }

  /** Whether the handler may answer later, and on another thread. */
  public boolean mayAnswerLater() {
    return !(execution instanceof ThreadBound);
  }

  /**
   * The surface gives its thread back before there is an answer.
   *
   * @param failed whether what will be answered is a failure: what belongs to a thread is undone
   *     then
   * @return whether an answer may still come; false if this was the end
   */
  public boolean leaveThread(boolean failed) {
    if (execution instanceof ThreadBound bound) {
      if (failed) {
        notRun();
        return false;
      }
      bound.leaveThread();
    }
    return true;
  }

  /**
   * The handler's answer is there.
   *
   * @param answer what is to be recorded of it; empty if it says nothing about the operation. If
   *     this throws, the answer cannot be recorded.
   */
  public CompletionStage<Delivery> answered(Supplier<Optional<Answer>> answer) {
    return end() ? record(answer) : completedStage(Delivery.ALREADY_ENDED);
  }

  /** Nothing was done. */
  public CompletionStage<Delivery> notRun() {
    return end() ? free() : completedStage(Delivery.ALREADY_ENDED);
  }

  /**
   * The handler threw.
   *
   * @param answer how the surface answers that; see {@link #answered}
   */
  public CompletionStage<Delivery> failed(Throwable thrown, Supplier<Optional<Answer>> answer) {
    if (isUnknown(thrown)) {
      return completedStage(outcomeUnknown(thrown));
    }
    CompletionStage<Delivery> end =
        Thrown.of(thrown) == Thrown.NOTHING_DONE ? notRun() : answered(answer);
    return end.thenApply(this::abortIfPartlySent);
  }

  /**
   * Whether nobody knows what a handler did that threw this. What belongs to a thread is undone,
   * and that is known.
   */
  public boolean isUnknown(Throwable thrown) {
    return mayAnswerLater() && Thrown.of(thrown) == Thrown.UNKNOWN;
  }

  /** The client has part of another answer than the one that it is to get now. */
  private Delivery abortIfPartlySent(Delivery delivery) {
    return delivery instanceof Delivery.Send && partlySent.getAsBoolean()
        ? Delivery.ABORT
        : delivery;
  }

  /**
   * Nobody knows what the handler did, or still does.
   *
   * @return a refusal, in whose place the surface may say more; or to cut the client off
   */
  public Delivery outcomeUnknown(Throwable cause) {
    if (!end()) {
      return Delivery.ALREADY_ENDED;
    }
    Refusal refusal = unknown("The operation broke off: whether it took effect is not known.");
    log.info("{}: broke off ({})", execution.operation().id(), refusal.id());
    log.debug("{}: broke off", execution.operation().id(), cause);
    abandon();
    return refuseAnswer(refusal);
  }

  /**
   * The surface was interrupted, and does not wait any longer for an end that is being recorded.
   */
  public Delivery clientGone() {
    Refusal refusal = unknown("The wait for the answer to be recorded was interrupted.");
    log.info(
        "{}: the wait for its recording was interrupted ({})",
        execution.operation().id(),
        refusal.id());
    return refuseAnswer(refusal);
  }

  /** A handler may have ended it before. */
  private void abandon() {
    try {
      execution.abandon();
    } catch (RuntimeException e) {
      log.warn("{}: not abandoned", execution.operation().id(), e);
    }
  }

  private boolean end() {
    return over.compareAndSet(false, true);
  }

  private CompletionStage<Delivery> record(Supplier<Optional<Answer>> answer) {
    Optional<Answer> kept;
    try {
      kept = answer.get();
    } catch (Error e) {
      abandon();
      throw e;
    } catch (Throwable e) { // Kotlin throws checked ones too
      abandon();
      return completedStage(unrecorded(e));
    }
    return kept.isEmpty() ? free() : complete(kept.get());
  }

  private CompletionStage<Delivery> complete(Answer answer) {
    CompletionStage<Result> recorded;
    try {
      recorded = execution.complete(answer);
    } catch (Throwable e) {
      recorded = failedStage(e);
    }
    return recorded.handle(this::delivery);
  }

  private Delivery delivery(@Nullable Result result, @Nullable Throwable failure) {
    if (result instanceof Result.Refused refused) {
      return refuseAnswer(refused.refusal());
    }
    if (result != null) {
      return Delivery.SEND;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof RolledBackException undone) {
      return partlySent.getAsBoolean()
          ? Delivery.ABORT
          : new Delivery.Failed(undone.handlerFailure());
    }
    return unrecorded(cause);
  }

  /** If the store does not say that the key is free, it is freed later: the answer is the same. */
  private CompletionStage<Delivery> free() {
    CompletionStage<Boolean> freed;
    try {
      freed = execution.release();
    } catch (Throwable e) {
      freed = failedStage(e);
    }
    return freed.handle(
        (any, failure) -> {
          if (failure != null) {
            log.error("{}: its key was not released", execution.operation().id(), failure);
          }
          return Delivery.SEND;
        });
  }

  private Delivery refuseAnswer(Refusal refusal) {
    return partlySent.getAsBoolean() ? Delivery.ABORT : new Delivery.Instead(refusal);
  }

  private Delivery unrecorded(@Nullable Throwable cause) {
    Refusal refusal = unknown("The operation ran, but its answer could not be recorded.");
    log.error("{}: not recorded ({})", execution.operation().id(), refusal.id(), cause);
    return refuseAnswer(refusal);
  }

  private static Refusal unknown(String detail) {
    return new Refusal(Reason.OUTCOME_UNKNOWN, detail, null);
  }
}
