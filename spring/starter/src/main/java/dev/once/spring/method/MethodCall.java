package dev.once.spring.method;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.core.RefusedException;
import dev.once.spring.CurrentExecution;
import dev.once.spring.Idempotent;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of an {@link Idempotent} bean method. */
record MethodCall(IdempotentMethod method, Operation operation, MethodInvocation invocation) {

  /** Calls the method itself. */
  @Nullable Object proceed(Execution execution) throws Throwable {
    try (CurrentExecution.Scope scope = CurrentExecution.enter(execution)) {
      return invocation.proceed();
    }
  }

  /**
   * What is recorded of the value that the method gave.
   *
   * @throws RuntimeException if it cannot be written as JSON
   */
  Answer answer(@Nullable Object given) {
    return method.result().answer(method.codec(), given);
  }

  /** The recorded value, as the method would have returned it. */
  @Nullable Object replay(Answer answer) {
    return method.result().returned(method.result().replay(method.codec(), answer, what()));
  }

  RefusedException refused(Refusal refusal) {
    return new RefusedException(what(), refusal);
  }

  /** The method and its key, masked, for messages. */
  String what() {
    return method.name() + " with key " + operation.id().masked();
  }
}
