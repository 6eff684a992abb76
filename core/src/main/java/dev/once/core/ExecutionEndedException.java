package dev.once.core;

/** An execution was ended twice. The first end counts. */
public final class ExecutionEndedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  public ExecutionEndedException(OperationId id) {
    super("execution of " + id + ": ended already (expected: one complete, fail or release)");
  }
}
