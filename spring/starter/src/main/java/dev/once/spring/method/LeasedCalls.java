package dev.once.spring.method;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.NotRunException;
import dev.once.core.Once;
import dev.once.core.Refusal;
import dev.once.core.RefusedException;
import dev.once.core.Result;
import dev.once.core.store.WaitInterruptedException;
import dev.once.spring.transaction.CallerTransaction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Calls of bean methods under a lease of the engine's. The method runs on the caller's thread; if
 * it answers by a stage, the caller's stage ends after the result is recorded. Within a transaction
 * of its caller's, the result is recorded when that has committed.
 */
final class LeasedCalls {

  private static final Logger log = LoggerFactory.getLogger(LeasedCalls.class);

  private static final boolean HAS_TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.interceptor.TransactionAttribute",
          LeasedCalls.class.getClassLoader());

  private final Once once;
  private final @Nullable CallerTransaction callers;

  LeasedCalls(Once once, BeanFactory beans) {
    this.once = once;
    this.callers = HAS_TRANSACTIONS ? new CallerTransaction(beans) : null;
  }

  @Nullable Object call(MethodCall call) throws Throwable {
    IdempotentMethod method = call.method();
    CallerTransaction.Part part =
        callers != null
            ? callers.partOf(method.method(), method.type())
            : CallerTransaction.Part.NONE;
    Begun begun = once.await(() -> once.begin(call.operation()));
    if (begun instanceof Begun.Replay replay) {
      return call.replay(replay.answer());
    }
    if (begun instanceof Begun.Refuse refuse) {
      throw call.refused(refuse.refusal());
    }
    Execution execution = ((Begun.Proceed) begun).execution();
    Object given;
    CompletableFuture<Object> later;
    try {
      given = call.proceed(execution);
      later =
          given instanceof CompletionStage<?> stage && method.result().isLater()
              ? future(stage)
              : null;
    } catch (Throwable e) {
      try {
        once.await(() -> failed(execution, e));
      } catch (WaitInterruptedException interrupted) {
        e.addSuppressed(interrupted);
      }
      throw e;
    }
    if (later != null) {
      return part == CallerTransaction.Part.NONE
          ? later(call, execution, later)
          : laterWithin(part, call, execution, later);
    }
    if (part != CallerTransaction.Part.NONE) {
      Answer answer = answer(call, execution, given);
      CallerTransaction.whenEnded(
          part, end -> once.await(() -> ended(call, execution, answer, end)));
      return given;
    }
    checked(call, completed(call, execution, given), given);
    return given;
  }

  /** An interrupt ends the wait, and not the recording. */
  private Result completed(MethodCall call, Execution execution, @Nullable Object given) {
    try {
      return once.await(() -> complete(call, execution, given));
    } catch (WaitInterruptedException e) {
      Refusal refusal =
          new Refusal(
              Refusal.Reason.OUTCOME_UNKNOWN,
              "It ran, and the wait for its result to be recorded was interrupted.",
              null);
      throw new RefusedException(call.what(), refusal, given, e);
    }
  }

  /** Not every stage is a future, or can be made one. */
  private static CompletableFuture<Object> future(CompletionStage<?> stage) {
    CompletableFuture<Object> future = new CompletableFuture<>();
    stage.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            future.complete(value);
          } else {
            future.completeExceptionally(failure);
          }
        });
    return future;
  }

  /**
   * Both the stage and the transaction decide. The caller's stage does not wait for the record: who
   * waits for it within the transaction would wait for ever.
   */
  private CompletableFuture<Object> laterWithin(
      CallerTransaction.Part part,
      MethodCall call,
      Execution execution,
      CompletableFuture<Object> stage) {
    CompletableFuture<Answer> answer = stage.thenApply(value -> answer(call, execution, value));
    CallerTransaction.whenEnded(
        // What still goes on is done elsewhere: a rollback does not undo it.
        answer.isDone() ? part : CallerTransaction.Part.NOT_KNOWN,
        end -> {
          if (!answer.isDone()) {
            answer.thenAccept(given -> ended(call, execution, given, end));
          } else if (!answer.isCompletedExceptionally()) {
            once.await(() -> ended(call, execution, answer.join(), end));
          }
        });
    return stage
        .handle(
            (value, failure) ->
                failure == null
                    ? answer.<Object>thenApply(any -> value)
                    : failed(execution, cause(failure))
                        .thenCompose(any -> CompletableFuture.<Object>failedFuture(cause(failure))))
        .thenCompose(Function.identity());
  }

  /** The caller cannot be told any more: what cannot be recorded is for the crash policy. */
  private static CompletionStage<?> ended(
      MethodCall call, Execution execution, Answer answer, CallerTransaction.End end) {
    return switch (end) {
      case COMMITTED ->
          execution
              .complete(answer)
              .thenAccept(
                  result -> {
                    if (result instanceof Result.Refused refused) {
                      log.error(
                          "{}: committed, but not recorded: {}",
                          call.what(),
                          refused.refusal().detail());
                    }
                  });
      case UNDONE -> execution.release();
      case UNKNOWN -> {
        log.warn(
            "{}: it is not known whether the transaction that it was called in was committed, so"
                + " the crash policy decides what a retry gets. If the method is not @Transactional,"
                + " add that annotation, which says whether the method takes part in its caller's"
                + " transaction",
            call.what());
        execution.abandon();
        yield CompletableFuture.completedFuture(null);
      }
    };
  }

  private static CompletableFuture<Object> later(
      MethodCall call, Execution execution, CompletableFuture<Object> stage) {
    return stage
        .handle(
            (value, failure) ->
                failure == null
                    ? complete(call, execution, value)
                        .thenApplyAsync(
                            result -> {
                              checked(call, result, value);
                              return value;
                            })
                    : failed(execution, cause(failure))
                        .thenCompose(any -> CompletableFuture.<Object>failedFuture(cause(failure))))
        .thenCompose(Function.identity());
  }

  private static CompletionStage<Result> complete(
      MethodCall call, Execution execution, @Nullable Object given) {
    return execution.complete(answer(call, execution, given));
  }

  /** A result that cannot be written leaves the outcome unknown: the method did run. */
  private static Answer answer(MethodCall call, Execution execution, @Nullable Object given) {
    try {
      return call.answer(given);
    } catch (Throwable e) { // such as a value that contains itself
      execution.abandon();
      Refusal refusal =
          new Refusal(
              Refusal.Reason.OUTCOME_UNKNOWN,
              "It ran, but its result cannot be written as JSON (expected: what Jackson writes)."
                  + " The crash policy decides what a retry gets.",
              null);
      throw new RefusedException(call.what(), refusal, given, e);
    }
  }

  private static CompletionStage<?> failed(Execution execution, Throwable failure) {
    return failure instanceof NotRunException ? execution.release() : execution.fail(failure);
  }

  private static void checked(MethodCall call, Result result, @Nullable Object given) {
    if (result instanceof Result.Refused refused) {
      throw new RefusedException(call.what(), refused.refusal(), given, null);
    }
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
