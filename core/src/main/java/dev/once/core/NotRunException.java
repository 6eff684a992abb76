package dev.once.core;

/**
 * Thrown by a handler to say that the operation had no effect at all, for example because the
 * connection was refused. The key is free again, whatever the policy keeps.
 */
public final class NotRunException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public NotRunException(String message, Throwable cause) {
    super(message, cause);
  }

  public NotRunException(String message) {
    super(message);
  }
}
