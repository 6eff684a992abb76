package dev.once.core.store;

/** The store has reached its limit and refuses new keys instead of dropping old ones. */
public final class StoreFullException extends StepNotTakenException {
  private static final long serialVersionUID = 1;

  public StoreFullException(String message) {
    super(message);
  }
}
