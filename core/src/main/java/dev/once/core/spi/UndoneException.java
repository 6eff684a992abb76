package dev.once.core.spi;

/**
 * What the handler did was undone at its end, by its own fault: a constraint that it broke, say. It
 * is as if the handler had thrown the cause, and a retry runs.
 */
public final class UndoneException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final RuntimeException ofHandler;

  public UndoneException(RuntimeException ofHandler) {
    super(ofHandler);
    this.ofHandler = ofHandler;
  }

  RuntimeException ofHandler() {
    return ofHandler;
  }
}
