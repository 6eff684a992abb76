package dev.once.core;

import org.jspecify.annotations.Nullable;

/**
 * The operation ran before, with this key, and succeeded; but its result cannot be given again: it
 * was too large to keep, the policy keeps none, or the codec cannot read it. It was not run again.
 */
public final class NotReplayableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private NotReplayableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A body that was not kept. */
  static NotReplayableException notKept(String what, Body body) {
    return new NotReplayableException(
        what
            + (body instanceof Body.Digest digest
                ? ": it ran, but its result was too large to keep: "
                    + digest.size()
                    + " bytes (expected: at most the policy's maxStoredBody)"
                : ": it ran, but the policy keeps no results (expected: keep=ANSWER)")
            + "; it does not run again",
        null);
  }

  /** A recorded value that the codec does not take. */
  static NotReplayableException notDecoded(String what, RuntimeException cause) {
    return new NotReplayableException(
        what
            + ": it ran, but its recorded result cannot be decoded (expected: what this codec"
            + " wrote); it does not run again",
        cause);
  }
}
