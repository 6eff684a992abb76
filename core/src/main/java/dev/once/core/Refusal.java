package dev.once.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An answer without a (recorded) run: why, in words for people, and when it is worth trying again.
 *
 * @param retryAfter null where a retry is not known to help
 */
public record Refusal(Reason reason, String detail, @Nullable Duration retryAfter) {

  /** What a refused duplicate is told to wait: most operations are over by then. */
  static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(1);

  /** The first request with this key still runs, and it is worth asking again. */
  public static Refusal busy(String detail) {
    return new Refusal(Reason.BUSY, detail, ASK_AGAIN_AFTER);
  }

  /** There is a record, and to go on without it would be to run the operation again. */
  public static Refusal unreadable() {
    return new Refusal(
        Reason.OUTCOME_UNKNOWN, "The key was used before; its record cannot be read.", null);
  }

  /** Why an operation was refused. */
  public enum Reason {
    /** No key, where one is required. */
    MISSING,
    /** A key that breaks the rule for keys. */
    MALFORMED,
    /** The key was used before, for another request. */
    MISMATCH,
    /** The first request with this key still runs. */
    BUSY,
    /** The store could not be asked. Nothing ran. */
    STORE_DOWN,
    /** The store has no room for another key. Nothing ran. */
    OVER_QUOTA,
    /** It ran, or may have run, and no answer was recorded. */
    OUTCOME_UNKNOWN,
    /** It ran, but another owner took the key over meanwhile; a retry gets that one's answer. */
    OWNERSHIP_LOST
  }
}
