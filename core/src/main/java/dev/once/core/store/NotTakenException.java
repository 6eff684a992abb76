package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/**
 * A store has not taken the step, and will not: it is closed, full, cannot be reached, or has too
 * much to do.
 */
public class NotTakenException extends StoreException {
  private static final long serialVersionUID = 1;

  public NotTakenException(String message) {
    this(message, null);
  }

  public NotTakenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
