package dev.once.core;

import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Says why an operation was not run, or why its answer is not given, and when a retry is
 * worthwhile.
 *
 * @param retryAfter null where a retry is not known to help
 * @param id names this one refusal, in the client's hands and in the log; a URI
 */
public record Refusal(Reason reason, String detail, @Nullable Duration retryAfter, String id) {

  /** What a refused duplicate is told to wait: most operations are over by then. */
  static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(1);

  /** A refusal with an id of its own. */
  public Refusal(Reason reason, String detail, @Nullable Duration retryAfter) {
    this(reason, detail, retryAfter, newId());
  }

  /** The first request with this key still runs, and it is worth asking again. */
  public static Refusal busy(String detail) {
    return new Refusal(Reason.BUSY, detail, ASK_AGAIN_AFTER);
  }

  /** There is a record, and to go on without it would be to run the operation again. */
  public static Refusal unreadable() {
    return new Refusal(
        Reason.OUTCOME_UNKNOWN, "The key was used before; its record cannot be read.", null);
  }

  /** An id that no other refusal has. It is for finding a line in a log, and is no secret. */
  public static String newId() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return "urn:once:" + hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextInt());
  }

  /** Why an operation was refused, and what follows from that wherever it is told. */
  public enum Reason {
    /** No key, where one is required. */
    MISSING(400, Retry.NEW_KEY, Level.WARN),
    /** A key that breaks the rule for keys. */
    MALFORMED(400, Retry.NEW_KEY, Level.WARN),
    /** The key was used before, for another request. */
    MISMATCH(422, Retry.NEW_KEY, Level.INFO),
    /** The first request with this key still runs. */
    BUSY(409, Retry.SAME_KEY, Level.INFO),
    /** The store could not be asked. Nothing ran. */
    STORE_DOWN(503, Retry.SAME_KEY, Level.ERROR),
    /** The store has no room for another key. Nothing ran. */
    OVER_QUOTA(503, Retry.SAME_KEY, Level.ERROR),
    /** It ran, or may have run, and no answer was recorded. */
    OUTCOME_UNKNOWN(409, Retry.NEVER, Level.ERROR),
    /** It ran, but another owner took over meanwhile; a retry gets the answer of that owner. */
    OWNERSHIP_LOST(409, Retry.SAME_KEY, Level.WARN);

    private final int httpStatus;
    private final Retry retry;
    private final Level severity;

    Reason(int httpStatus, Retry retry, Level severity) {
      this.httpStatus = httpStatus;
      this.retry = retry;
      this.severity = severity;
    }

    /** The status over HTTP, unless a policy has another. */
    public int httpStatus() {
      return httpStatus;
    }

    /** What can be done about it. */
    public Retry retry() {
      return retry;
    }

    /** How loud a log tells of it. */
    public Level severity() {
      return severity;
    }
  }

  /** What a client can do after a refusal. */
  public enum Retry {
    /** Send the same request with the same key again, later. It runs then, or gets its answer. */
    SAME_KEY,
    /** Make a new key, and send the request with that. Nothing was done under this one. */
    NEW_KEY,
    /** Nothing: sent again it is refused again. Somebody has to look at it. */
    NEVER
  }
}
