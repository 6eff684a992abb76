package dev.once.core.store;

/** A store is closed: it has not taken the step, and there is no use in trying again. */
public final class StoreClosedException extends StepNotTakenException {
  private static final long serialVersionUID = 1;

  /**
   * @param store what it is called: {@code "memory store"}
   */
  public StoreClosedException(String store) {
    super(store + ": closed (expected: open)");
  }
}
