package dev.once.spring;

import dev.once.core.Refusal;

/**
 * An {@link Idempotent} bean method was not run, or its result could not be recorded: the refusal
 * says why. Thrown to the method's caller. A request whose handler lets it through is answered with
 * the problem that the refusal stands for.
 */
public final class IdempotencyRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  IdempotencyRefusedException(String operation, Refusal refusal) {
    super(operation + ": " + refusal.reason() + ", " + refusal.detail());
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Whether all that it says is "not now": a later call may run. */
  public boolean isNotNow() {
    return switch (refusal.reason()) {
      case BUSY, STORE_DOWN, OVER_QUOTA -> true;
      default -> false;
    };
  }
}
