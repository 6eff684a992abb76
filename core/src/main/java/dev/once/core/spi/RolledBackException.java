package dev.once.core.spi;

/**
 * What the handler did was rolled back when it ended, because of its own mistake, such as a broken
 * constraint. It counts as if the handler had thrown the cause, so a retry runs.
 */
public final class RolledBackException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final RuntimeException handlerFailure;

  public RolledBackException(RuntimeException ofHandler) {
    super(ofHandler);
    this.handlerFailure = ofHandler;
  }

  RuntimeException handlerFailure() {
    return handlerFailure;
  }
}
