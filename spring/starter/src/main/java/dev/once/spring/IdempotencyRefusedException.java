package dev.once.spring;

import dev.once.core.Refusal;
import dev.once.core.Refusal.Retry;

/**
 * An {@link Idempotent} bean method was not run, or its result could not be recorded: the refusal
 * says why. Thrown to the method's caller. A request whose handler lets it through is answered with
 * the problem that the refusal stands for.
 */
public final class IdempotencyRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  IdempotencyRefusedException(String operation, Refusal refusal) {
    super("%s: %s, %s (%s)".formatted(operation, refusal.reason(), refusal.detail(), refusal.id()));
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Whether all that it says is "not now": a later call runs, or gets the recorded result. */
  public boolean isNotNow() {
    return refusal.reason().retry() == Retry.SAME_KEY;
  }
}
