package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/**
 * The store did not take the step and never will: it is closed, full, not reachable, or overloaded.
 */
public class StepNotTakenException extends StoreException {
  private static final long serialVersionUID = 1;

  public StepNotTakenException(String message) {
    this(message, null);
  }

  public StepNotTakenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
