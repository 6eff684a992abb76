package dev.once.core;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One {@link Once#call}: makes the answer of the value that the handler gives, and of the result
 * the value again. The first caller gets the value itself, not one that was written and read.
 */
final class TypedCall<T extends @Nullable Object> {

  private final String what;
  private final Codec<T> codec;

  /** What the handler gave, if this call ran it. */
  private volatile @Nullable HandlerValue<T> handlerValue;

  private record HandlerValue<T extends @Nullable Object>(T value) {}

  TypedCall(Operation operation, Codec<T> codec) {
    this.what = operation.id().toString();
    this.codec = Objects.requireNonNull(codec, "codec: null (expected: a Codec)");
  }

  /** The handler of {@link Once#run}. */
  Handler<Answer> handler(Handler<? extends T> handler) {
    return execution -> answer(handler.handle(execution));
  }

  /** The handler of {@link Once#runAsync}. */
  AsyncHandler<Answer> asyncHandler(AsyncHandler<? extends T> handler) {
    return execution -> handler.handle(execution).thenApply(this::answer);
  }

  private Answer answer(T value) {
    handlerValue = new HandlerValue<>(value);
    try {
      return codec.toAnswer(value);
    } catch (Throwable e) { // such as a value that contains itself
      throw new NotEncodedException(e);
    }
  }

  /** The value, of what became of the operation. */
  T value(Result result) {
    HandlerValue<T> own = handlerValue;
    if (result instanceof Result.Executed && own != null) {
      return own.value();
    }
    if (result instanceof Result.Replayed replayed) {
      return codec.fromAnswer(what, replayed.answer());
    }
    throw refused(((Result.Refused) result).refusal(), null);
  }

  /** The end of {@link Once#runAsync}: the value, or what to fail with. */
  T end(@Nullable Result result, @Nullable Throwable failure) {
    if (result != null) {
      return value(result);
    }
    Throwable cause = StoreCalls.cause(Objects.requireNonNull(failure));
    throw cause instanceof NotEncodedException notEncoded
        ? notEncoded(notEncoded)
        : new CompletionException(cause);
  }

  /** It ran, and nobody can be given what it gave. */
  RefusedException notEncoded(NotEncodedException failure) {
    return refused(
        new Refusal(
            Refusal.Reason.OUTCOME_UNKNOWN,
            "The operation ran, but its result cannot be encoded (expected: a value that the codec"
                + " takes). The crash policy decides what a retry gets.",
            null),
        failure.getCause());
  }

  private RefusedException refused(Refusal refusal, @Nullable Throwable cause) {
    HandlerValue<T> own = handlerValue;
    return own == null
        ? new RefusedException(what, refusal)
        : new RefusedException(what, refusal, own.value(), cause);
  }
}
