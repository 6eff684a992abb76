package dev.once.spring;

/**
 * An {@link Idempotent} bean method was called before with this key, and there is no result to give
 * again: it failed, and the failure was recorded; or its result was too large to keep. It was not
 * run again.
 */
public final class NotReplayableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotReplayableException(String message) {
    super(message);
  }
}
