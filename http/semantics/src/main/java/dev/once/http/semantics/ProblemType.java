package dev.once.http.semantics;

import dev.once.core.Refusal.Reason;
import dev.once.core.Refusal.Retry;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * What can be wrong, as RFC 9457 problem types, and what follows from it. The anchor is where on
 * the policy page it is explained.
 */
public enum ProblemType {
  KEY_MISSING(
      "key-missing",
      Reason.MISSING,
      "An idempotency key is required",
      "Make a key for the operation, keep it, and send it with every attempt."),
  KEY_MALFORMED(
      "key-malformed",
      Reason.MALFORMED,
      "The idempotency key is not well-formed",
      "Send one key header that follows the rule. Nothing was done."),
  KEY_REUSED(
      "key-reused",
      Reason.MISMATCH,
      "The idempotency key was used for another request",
      "A key names one operation. Use a new key for a new request."),
  STILL_RUNNING(
      "still-running",
      Reason.BUSY,
      "The first request with this key still runs",
      "Wait as Retry-After says, and send the same request with the same key."),
  OUTCOME_UNKNOWN(
      "outcome-unknown",
      Reason.OUTCOME_UNKNOWN,
      "Whether the first request took effect is not known",
      "It began and did not end, or its answer was lost. Look for its effect; somebody who operates"
          + " the service can release the key. A retry will not run it again blindly."),
  TAKEN_OVER(
      "taken-over",
      Reason.OWNERSHIP_LOST,
      "Another request took this operation over",
      "It ran past its lease. Send the same request with the same key to get the recorded answer."),
  STORE_DOWN(
      "store-down",
      Reason.STORE_DOWN,
      "Idempotency keys cannot be checked at the moment",
      "Nothing was done. Send the same request with the same key again."),
  STORE_FULL(
      "store-full",
      Reason.OVER_QUOTA,
      "There is no room for another idempotency key",
      "Nothing was done. Send the same request with the same key later."),
  BODY_TOO_LARGE(
      "body-too-large",
      Retry.NEVER,
      Level.INFO,
      "The request is too large to be sent with an idempotency key",
      "Nothing was done. Send less, or ask for a higher limit."),
  BODY_TOO_SLOW(
      "body-too-slow",
      Retry.SAME_KEY,
      Level.INFO,
      "The request did not come in time",
      "Nothing was done. Send the same request with the same key again, without a pause."),
  TENANT_MISSING(
      "tenant-missing",
      Retry.NEVER,
      Level.WARN,
      "The request does not say whose it is",
      "Nothing was done. Send the header that names the tenant."),
  CALLER_UNKNOWN(
      "caller-unknown",
      Retry.NEVER,
      Level.WARN,
      "The request does not say who calls",
      "Nothing was done. A recorded answer is only for whoever asked first: send your credentials,"
          + " once."),
  AMBIGUOUS(
      "ambiguous-request",
      Retry.NEVER,
      Level.WARN,
      "The request can be read as another one",
      "Nothing was done. Send method and path as they are documented, without needless escapes."),
  BAD_REQUEST(
      "bad-request",
      Retry.NEVER,
      Level.INFO,
      "The request is not well-formed HTTP, or means two things",
      "Nothing was done. A client library does not send such requests."),
  UPSTREAM_UNREACHABLE(
      "upstream-unreachable",
      Retry.SAME_KEY,
      Level.WARN,
      "The service behind cannot be reached",
      "Nothing was done, and the key is free. Send the same request again."),
  UPSTREAM_FAILED(
      "upstream-failed",
      Retry.SAME_KEY,
      Level.WARN,
      "The service behind did not answer to the end",
      "Whether the request took effect is not known. Send the same request with the same key to"
          + " learn what became of it."),
  UPSTREAM_TIMEOUT(
      "upstream-timeout",
      Retry.SAME_KEY,
      Level.WARN,
      "The service behind did not answer in time",
      "Whether the request took effect is not known. Send the same request with the same key to"
          + " learn what became of it."),
  OVERLOADED(
      "overloaded",
      Retry.SAME_KEY,
      Level.WARN,
      "The gateway is at its limit of bytes or requests",
      "Nothing was done. Wait as Retry-After says, and send the same request with the same key."),
  STOPPING(
      "stopping",
      Retry.SAME_KEY,
      Level.INFO,
      "The gateway is stopping",
      "Nothing was done. Send the same request with the same key again.");

  private static final Map<Reason, ProblemType> BY_REASON = new EnumMap<>(Reason.class);

  static {
    for (ProblemType type : values()) {
      if (type.reason != null) {
        BY_REASON.put(type.reason, type);
      }
    }
  }

  private final String anchor;
  private final @Nullable Reason reason;
  private final Retry retry;
  private final Level severity;
  private final String title;
  private final String advice;

  /** For one of the engine's reasons. */
  ProblemType(String anchor, Reason reason, String title, String advice) {
    this(anchor, reason, reason.retry(), reason.severity(), title, advice);
  }

  /** For what the engine does not know of. */
  ProblemType(String anchor, Retry retry, Level severity, String title, String advice) {
    this(anchor, null, retry, severity, title, advice);
  }

  ProblemType(
      String anchor,
      @Nullable Reason reason,
      Retry retry,
      Level severity,
      String title,
      String advice) {
    this.anchor = anchor;
    this.reason = reason;
    this.retry = retry;
    this.severity = severity;
    this.title = title;
    this.advice = advice;
  }

  public String anchor() {
    return anchor;
  }

  /** What a client with a key can do. */
  public Retry retry() {
    return retry;
  }

  /** How loud a log tells of it. */
  public Level severity() {
    return severity;
  }

  public String title() {
    return title;
  }

  public String advice() {
    return advice;
  }

  static ProblemType of(Reason reason) {
    ProblemType type = BY_REASON.get(reason);
    if (type == null) {
      throw new IllegalStateException(reason + ": no problem (expected: one of ProblemType)");
    }
    return type;
  }
}
