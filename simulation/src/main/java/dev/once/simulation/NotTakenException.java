package dev.once.simulation;

import dev.once.core.store.StepNotTakenException;

/** The simulated store cannot be reached, or takes no writes: the step was not taken. */
final class NotTakenException extends StepNotTakenException {
  private static final long serialVersionUID = 1;

  NotTakenException(String message) {
    super("simulated: " + message);
  }

  /** Thrown by the million, and its origin is in the history. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
