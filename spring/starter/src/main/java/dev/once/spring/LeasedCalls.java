package dev.once.spring;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.NotRunException;
import dev.once.core.Once;
import dev.once.core.Result;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls of bean methods under a lease of the engine's. The method runs on the caller's thread; if
 * it answers by a stage, the caller's stage ends after the result is recorded.
 */
final class LeasedCalls {

  private final Once once;

  LeasedCalls(Once once) {
    this.once = once;
  }

  @Nullable Object call(MethodCall call) throws Throwable {
    Begun begun = once.await(() -> once.begin(call.operation()));
    if (begun instanceof Begun.Replay replay) {
      return call.replay(replay.answer());
    }
    if (begun instanceof Begun.Refuse refuse) {
      throw call.refused(refuse.refusal());
    }
    Execution execution = ((Begun.Proceed) begun).execution();
    Object given;
    try {
      given = call.proceed(OnceExecution.of(execution));
    } catch (Throwable e) {
      once.await(() -> failed(execution, e));
      throw e;
    }
    if (given instanceof CompletionStage<?> stage && call.method().result().isLater()) {
      return later(call, execution, stage);
    }
    checked(call, once.await(() -> complete(call, execution, given)));
    return given;
  }

  private static CompletableFuture<Object> later(
      MethodCall call, Execution execution, CompletionStage<?> stage) {
    return stage
        .handle(
            (value, failure) ->
                failure == null
                    ? complete(call, execution, value)
                        .thenApplyAsync(
                            result -> {
                              checked(call, result);
                              return (Object) value;
                            })
                    : failed(execution, cause(failure))
                        .thenCompose(any -> CompletableFuture.<Object>failedFuture(cause(failure))))
        .thenCompose(Function.identity())
        .toCompletableFuture();
  }

  /** A result that cannot be written leaves the outcome unknown: the method did run. */
  private static CompletionStage<Result> complete(
      MethodCall call, Execution execution, @Nullable Object given) {
    Answer answer;
    try {
      answer = call.answer(given);
    } catch (RuntimeException e) {
      execution.abandon();
      throw new IllegalStateException(
          call.what()
              + ": it ran, but its result cannot be written as JSON (expected: what Jackson writes);"
              + " retries are refused until somebody releases the key",
          e);
    }
    return execution.complete(answer);
  }

  private static CompletionStage<?> failed(Execution execution, Throwable failure) {
    return failure instanceof NotRunException ? execution.release() : execution.fail(failure);
  }

  private static void checked(MethodCall call, Result result) {
    if (result instanceof Result.Refused refused) {
      throw call.refused(refused.refusal());
    }
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
