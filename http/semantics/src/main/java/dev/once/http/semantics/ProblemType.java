package dev.once.http.semantics;

import dev.once.core.Refusal.Reason;

/**
 * What can be wrong, as RFC 9457 problem types. The anchor is where on the policy page it is
 * explained.
 */
public enum ProblemType {
  KEY_MISSING(
      "key-missing",
      "An idempotency key is required",
      "Make a key for the operation, keep it, and send it with every attempt."),
  KEY_MALFORMED(
      "key-malformed",
      "The idempotency key is not well-formed",
      "Send one key header that follows the rule. Nothing was done."),
  KEY_REUSED(
      "key-reused",
      "The idempotency key was used for another request",
      "A key names one operation. Use a new key for a new request."),
  STILL_RUNNING(
      "still-running",
      "The first request with this key still runs",
      "Wait as Retry-After says, and send the same request with the same key."),
  OUTCOME_UNKNOWN(
      "outcome-unknown",
      "Whether the first request took effect is not known",
      "It began and did not end, or its answer was lost. Look for its effect; somebody who operates"
          + " the service can release the key. A retry will not run it again blindly."),
  TAKEN_OVER(
      "taken-over",
      "Another request took this operation over",
      "It ran past its lease. Send the same request with the same key to get the recorded answer."),
  STORE_DOWN(
      "store-down",
      "Idempotency keys cannot be checked at the moment",
      "Nothing was done. Send the same request with the same key again."),
  STORE_FULL(
      "store-full",
      "There is no room for another idempotency key",
      "Nothing was done. Send the same request with the same key later."),
  BODY_TOO_LARGE(
      "body-too-large",
      "The request is too large to be sent with an idempotency key",
      "Nothing was done. Send less, or ask for a higher limit."),
  BODY_TOO_SLOW(
      "body-too-slow",
      "The request did not come in time",
      "Nothing was done. Send the same request with the same key again, without a pause."),
  TENANT_MISSING(
      "tenant-missing",
      "The request does not say whose it is",
      "Nothing was done. Send the header that names the tenant."),
  CALLER_UNKNOWN(
      "caller-unknown",
      "The request does not say who calls",
      "Nothing was done. A recorded answer is only for whoever asked first: send your credentials,"
          + " once."),
  AMBIGUOUS(
      "ambiguous-request",
      "The request can be read as another one",
      "Nothing was done. Send method and path as they are documented, without needless escapes."),
  BAD_REQUEST(
      "bad-request",
      "The request is not well-formed HTTP, or means two things",
      "Nothing was done. A client library does not send such requests."),
  UPSTREAM_UNREACHABLE(
      "upstream-unreachable",
      "The service behind cannot be reached",
      "Nothing was done, and the key is free. Send the same request again."),
  UPSTREAM_FAILED(
      "upstream-failed",
      "The service behind did not answer to the end",
      "Whether the request took effect is not known. Send the same request with the same key to"
          + " learn what became of it."),
  UPSTREAM_TIMEOUT(
      "upstream-timeout",
      "The service behind did not answer in time",
      "Whether the request took effect is not known. Send the same request with the same key to"
          + " learn what became of it."),
  OVERLOADED(
      "overloaded",
      "The gateway holds as many bytes or requests as it may",
      "Nothing was done. Wait as Retry-After says, and send the same request with the same key."),
  STOPPING(
      "stopping",
      "The gateway is stopping",
      "Nothing was done. Send the same request with the same key again.");

  private final String anchor;
  private final String title;
  private final String advice;

  ProblemType(String anchor, String title, String advice) {
    this.anchor = anchor;
    this.title = title;
    this.advice = advice;
  }

  public String anchor() {
    return anchor;
  }

  public String title() {
    return title;
  }

  public String advice() {
    return advice;
  }

  static ProblemType of(Reason reason) {
    return switch (reason) {
      case MISSING -> KEY_MISSING;
      case MALFORMED -> KEY_MALFORMED;
      case MISMATCH -> KEY_REUSED;
      case BUSY -> STILL_RUNNING;
      case STORE_DOWN -> STORE_DOWN;
      case OVER_QUOTA -> STORE_FULL;
      case OUTCOME_UNKNOWN -> OUTCOME_UNKNOWN;
      case OWNERSHIP_LOST -> TAKEN_OVER;
    };
  }
}
