package dev.once.core;

import java.nio.channels.ClosedByInterruptException;

/**
 * What an exception of a handler means. The rule is the same on every surface.
 *
 * <p>The exception and its causes are looked at from the outside in. The first one that means
 * {@link #NOTHING_DONE} or {@link #UNKNOWN} decides; if there is no such one, it is a {@link
 * #FAILURE}.
 */
public enum Thrown {

  /** A {@link NotRunException}: the key is free again. */
  NOTHING_DONE,

  /**
   * An interruption, or any {@link Error}: out of memory, a class that cannot be loaded, a failed
   * assertion. Nobody knows how far the handler came, so nothing is recorded, and when the lease is
   * over the crash policy decides. So it is with a value that {@link Once#call} cannot encode: the
   * handler ran, and there is nothing to record.
   */
  UNKNOWN,

  /** Any other exception: how the operation ended. Recorded or not, as the policy says. */
  FAILURE;

  /** More causes than any real exception has: they can be in a circle. */
  private static final int MAX_CAUSES = 100;

  /** What this exception means. */
  public static Thrown of(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof NotRunException) {
        return NOTHING_DONE;
      }
      if (cause instanceof Error
          || cause instanceof NotEncodedException
          || cause instanceof InterruptedException
          || cause instanceof ClosedByInterruptException) {
        return UNKNOWN;
      }
      cause = cause.getCause();
    }
    return FAILURE;
  }
}
