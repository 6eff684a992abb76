package dev.once.core.store;

/** A store has reached its bound and refuses new keys, rather than forget old ones. */
public final class StoreFullException extends NotTakenException {
  private static final long serialVersionUID = 1;

  public StoreFullException(String message) {
    super(message);
  }
}
