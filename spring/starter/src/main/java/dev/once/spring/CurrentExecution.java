package dev.once.spring;

import dev.once.core.Execution;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The execution that a thread runs, for code that has none as an argument. */
public final class CurrentExecution {

  private static final ThreadLocal<@Nullable Execution> CURRENT = new ThreadLocal<>();

  private CurrentExecution() {}

  /**
   * That of the innermost {@link Idempotent} bean method, or of the request. Empty on threads that
   * the code started itself.
   */
  public static Optional<Execution> get() {
    return Optional.ofNullable(CURRENT.get());
  }

  /** For surfaces: makes one this thread's, until the scope is closed. */
  public static Scope enter(Execution execution) {
    Execution outer = CURRENT.get();
    CURRENT.set(execution);
    return () -> {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    };
  }

  /** While it is a thread's. */
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
