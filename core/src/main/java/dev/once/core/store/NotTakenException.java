package dev.once.core.store;

/** A store has not taken the step, and will not: it is closed, full, or has too much to do. */
public class NotTakenException extends StoreException {
  private static final long serialVersionUID = 1;

  public NotTakenException(String message) {
    super(message, null);
  }
}
