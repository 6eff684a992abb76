package dev.once.core;

/**
 * The operation ran, and its codec cannot write what it gave. Nothing can be recorded, so it counts
 * as {@link Thrown#UNKNOWN}. Never seen outside: callers get a {@link RefusedException}.
 */
final class NotEncodedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotEncodedException(Throwable cause) {
    super(cause);
  }
}
