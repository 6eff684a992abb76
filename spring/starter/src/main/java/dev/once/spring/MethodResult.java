package dev.once.spring;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Outcome;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
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
record MethodResult(ResolvableType value, boolean isOptional, Later later) {

  /** Whether the method answers at once, or by a stage. */
  enum Later {
    NO,
    STAGE,
    FUTURE
  }

  static MethodResult of(Method method, Class<?> type) {
    ResolvableType value =
        ResolvableType.forType(
            GenericTypeResolver.resolveType(method.getGenericReturnType(), type));
    Later later = Later.NO;
    if (value.toClass() == CompletionStage.class) {
      later = Later.STAGE;
      value = value.getGeneric();
    } else if (value.toClass() == CompletableFuture.class) {
      later = Later.FUTURE;
      value = value.getGeneric();
    }
    boolean optional = value.toClass() == Optional.class;
    return new MethodResult(optional ? value.getGeneric() : value, optional, later);
  }

  boolean isLater() {
    return later != Later.NO;
  }

  private boolean isNothing() {
    return value.toClass() == void.class || value.toClass() == Void.class;
  }

  /** Why it cannot be recorded; null if it can. */
  @Nullable String complaint(Json json) {
    if (isNothing()) {
      return null;
    }
    if (value.hasUnresolvableGenerics() || value.resolve() == null) {
      return "what " + value.getType().getTypeName() + " stands for is not known";
    }
    if (value.toClass() == Object.class) {
      return "an Object would come back as a map";
    }
    String promise = AnswersLater.nameOf(value.toClass());
    if (promise != null) {
      return promise + " is not a value, but a promise of one";
    }
    return json.complaint(value.getType());
  }

  /** What is recorded of a value that the method gave. */
  Answer answer(Json json, @Nullable Object given) {
    if (isNothing()) {
      return Answer.success(200, Body.EMPTY);
    }
    Object plain = given instanceof Optional<?> optional ? optional.orElse(null) : given;
    return Answer.success(200, new Body.Full(Bytes.wrap(json.writeResult(plain, value.getType()))));
  }

  /** The value that was recorded. */
  @Nullable Object replay(Json json, Answer answer, String what) {
    if (answer.outcome() != Outcome.SUCCESS) {
      throw new NotReplayableException(
          "%s: the first call failed%s, and that is recorded; it does not run again (on-failure=release"
                  .formatted(
                      what,
                      answer.body() instanceof Body.Full full
                          ? " with " + full.bytes().toUtf8()
                          : "")
              + " would let it)");
    }
    if (isNothing()) {
      return null;
    }
    if (!(answer.body() instanceof Body.Full full)) {
      throw new NotReplayableException(
          what
              + ": it ran, but its result was too large to keep, or the policy keeps none"
              + " (max-stored-body, keep); it does not run again");
    }
    Type type = value.getType();
    Object plain = json.read(full.bytes().toArray(), type);
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
