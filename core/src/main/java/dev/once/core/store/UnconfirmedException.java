package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/**
 * The store took the step, and said so; but it may still lose it, because not enough replicas have
 * said that they have it. Nothing of it is under way any more.
 */
public final class UnconfirmedException extends StoreException {
  private static final long serialVersionUID = 1;

  public UnconfirmedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
