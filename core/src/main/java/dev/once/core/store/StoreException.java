package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/** A store could not take a step, or could not say whether it did. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
