package dev.once.spring.method;

import dev.once.codecs.jackson.JacksonCodecs;
import dev.once.core.Answer;
import dev.once.core.Codec;
import dev.once.spring.AsyncReturnTypes;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/**
 * What a bean method returns, and how it is recorded: the value as JSON, or nothing for {@code
 * void}. An {@code Optional} is recorded as its value or null, a stage as what it ends with.
 *
 * @param value the type of what is recorded; {@code void} for nothing
 */
record MethodResult(ResolvableType value, boolean isOptional, AsyncKind later) {

  /** Whether the method answers at once, or by a stage. */
  enum AsyncKind {
    NO,
    STAGE,
    FUTURE
  }

  static MethodResult of(Method method, Class<?> type) {
    ResolvableType value =
        ResolvableType.forType(
            GenericTypeResolver.resolveType(method.getGenericReturnType(), type));
    AsyncKind later = AsyncKind.NO;
    if (value.toClass() == CompletionStage.class) {
      later = AsyncKind.STAGE;
      value = value.getGeneric();
    } else if (value.toClass() == CompletableFuture.class) {
      later = AsyncKind.FUTURE;
      value = value.getGeneric();
    }
    boolean optional = value.toClass() == Optional.class;
    return new MethodResult(optional ? value.getGeneric() : value, optional, later);
  }

  boolean isLater() {
    return later != AsyncKind.NO;
  }

  private boolean isNothing() {
    return value.toClass() == void.class || value.toClass() == Void.class;
  }

  /** Why it cannot be recorded; null if it can. */
  @Nullable String findError(JacksonCodecs codecs) {
    if (isNothing()) {
      return null;
    }
    if (value.hasUnresolvableGenerics() || value.resolve() == null) {
      return "what " + value.getType().getTypeName() + " stands for is not known";
    }
    String promise = AsyncReturnTypes.nameOf(value.toClass());
    if (promise != null) {
      return promise + " is not a value, but a promise of one";
    }
    return codecs.findError(value.getType());
  }

  /** How it is recorded. */
  @SuppressWarnings("unchecked") // who returns nothing gives and gets null
  Codec<@Nullable Object> codec(JacksonCodecs codecs) {
    return isNothing()
        ? (Codec<@Nullable Object>) (Codec<?>) Codec.none()
        : codecs.of(value.getType());
  }

  /** What is recorded of a value that the method gave. */
  @SuppressWarnings("NullAway") // which does not see that this codec takes null
  Answer answer(Codec<@Nullable Object> codec, @Nullable Object given) {
    return codec.toAnswer(given instanceof Optional<?> optional ? optional.orElse(null) : given);
  }

  /** The value that was recorded. */
  @Nullable Object replay(Codec<@Nullable Object> codec, Answer answer, String what) {
    Object plain = codec.fromAnswer(what, answer);
    return isOptional ? Optional.ofNullable(plain) : plain;
  }

  /** The value as the method would have returned it. */
  @Nullable Object returned(@Nullable Object plain) {
    return switch (later) {
      case NO -> plain;
      case STAGE -> CompletableFuture.completedStage(plain);
      case FUTURE -> CompletableFuture.completedFuture(plain);
    };
  }
}
