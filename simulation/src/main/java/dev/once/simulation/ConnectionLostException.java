package dev.once.simulation;

import dev.once.core.store.StoreException;

/** The connection to the simulated store broke. */
final class ConnectionLostException extends StoreException {
  private static final long serialVersionUID = 1;

  ConnectionLostException(Fault fault) {
    super("simulated: " + fault.label(), null);
  }

  ConnectionLostException(String message) {
    super("simulated: " + message, null);
  }

  /** Thrown by the million, and its origin is in the history. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
