package dev.once.spring;

import dev.once.core.Refusal;

/**
 * An {@link Idempotent} bean method was not run, or its result could not be recorded: the refusal
 * says why. Thrown to the method's caller. In Spring MVC it is answered with the problem that the
 * refusal stands for.
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
}
