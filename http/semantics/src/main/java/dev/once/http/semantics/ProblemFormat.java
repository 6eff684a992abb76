package dev.once.http.semantics;

import dev.once.core.Refusal.Retry;

/** Problems as {@code application/problem+json} (RFC 9457). */
final class ProblemFormat {

  private ProblemFormat() {}

  static Reply reply(Problem problem) {
    Retry retry = problem.retry();
    return new Reply(
        problem.status(),
        problem.headers("application/problem+json"),
        JsonText.object(
            json -> {
              json.writeStringField("type", problem.link());
              json.writeStringField("title", problem.type().title());
              json.writeNumberField("status", problem.status());
              json.writeStringField("detail", problem.detail());
              json.writeStringField("instance", problem.instance());
              if (retry != null) {
                json.writeStringField("retry", ValueText.showWord(retry));
              }
              if (problem.aboutKey()) {
                String retention = problem.policy().policy().retention().toString();
                json.writeStringField("retention", retention);
              }
            }));
  }
}
