package dev.once.http.semantics;

import dev.once.core.Header;
import dev.once.core.Refusal.Retry;
import java.util.List;

/**
 * Problems as Stripe words its errors. Its client libraries take an answer without {@code error}
 * for a success, whatever its status; they show {@code Request-Id} with the error, and ask {@code
 * Stripe-Should-Retry} before they try again.
 */
final class StripeFormat {

  private StripeFormat() {}

  static Reply reply(Problem problem) {
    List<Header> headers = problem.headers("application/json");
    headers.add(new Header("Request-Id", problem.instance()));
    if (problem.retry() != null) {
      boolean again = problem.retry() == Retry.SAME_KEY;
      headers.add(new Header("Stripe-Should-Retry", String.valueOf(again)));
    }
    return new Reply(
        problem.status(),
        headers,
        JsonText.object(
            json -> {
              json.writeObjectFieldStart("error");
              json.writeStringField("type", typeOf(problem));
              json.writeStringField("code", codeOf(problem.type()));
              if (problem.hasPage()) {
                json.writeStringField("doc_url", problem.link());
              }
              json.writeStringField("message", problem.detail());
              if (problem.aboutKey()) {
                String retention = problem.policy().policy().retention().toString();
                json.writeStringField("retention", retention); // not Stripe's; nobody minds
              }
              json.writeEndObject();
            }));
  }

  private static String typeOf(Problem problem) {
    return switch (problem.type()) {
      case KEY_REUSED, STILL_RUNNING, TAKEN_OVER -> "idempotency_error";
      case OUTCOME_UNKNOWN -> "api_error";
      default -> problem.status() < 500 ? "invalid_request_error" : "api_error";
    };
  }

  /** Stripe has a code of its own for one of them. */
  private static String codeOf(ProblemType type) {
    return type == ProblemType.STILL_RUNNING
        ? "idempotency_key_in_use"
        : type.anchor().replace('-', '_');
  }
}
