package dev.once.spring;

import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.Operation;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What code that runs under a key may know of it: an argument of a handler method, or {@link
 * #current}.
 *
 * @param fence to pass on to whatever else is written to: it refuses what has a lower one; empty if
 *     the store was down, and the policy said to go on
 * @param attempt 1, or more if earlier runs crashed
 */
public record OnceExecution(Operation operation, Optional<Fence> fence, int attempt) {

  private static final ThreadLocal<@Nullable OnceExecution> CURRENT = new ThreadLocal<>();

  static OnceExecution of(Execution execution) {
    return new OnceExecution(execution.operation(), execution.fence(), execution.attempt());
  }

  /**
   * The one that this thread runs: that of the innermost {@link Idempotent} bean method, or of the
   * request. Empty on threads that the code started itself.
   */
  public static Optional<OnceExecution> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /** Makes it this thread's, until the scope is closed. */
  Scope enter() {
    OnceExecution outer = CURRENT.get();
    CURRENT.set(this);
    return () -> {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    };
  }

  /** While it is a thread's. */
  interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
