package dev.once.core.store;

/**
 * A thread was interrupted while it waited for a store; its interrupt flag is set. What it waited
 * for goes on without it: a claim that is granted is given back, an answer is recorded.
 */
public final class WaitInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public WaitInterruptedException(InterruptedException cause) {
    super("interrupted while waiting for the store (expected: a reply)", cause);
  }
}
