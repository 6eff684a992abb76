package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.ErrorPolicy;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.rules.ReplayDetection.ResultSource;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import java.util.List;

/** Retries of operations that ended in an error of the application. */
final class ErrorRules {

  static final List<CheckedRule> ALL =
      List.of(
          should(
              "draft-2.6-rejection",
              "2.6",
              "A retry of what was answered 4xx is replayed, or runs again, as documented.",
              session ->
                  errors(
                      session,
                      session.target().reject(),
                      4,
                      "--reject-body",
                      session.target().answers().rejections())),
          should(
              "draft-2.6-failure",
              "2.6",
              "A retry of what was answered 5xx is replayed, or runs again, as documented.",
              session ->
                  errors(
                      session,
                      session.target().fail(),
                      5,
                      "--fail-body",
                      session.target().answers().failures())));

  private ErrorRules() {}

  private static Finding errors(
      Session session, Variation variation, int hundreds, String option, ErrorPolicy policy)
      throws NoAnswerException {
    if (variation.isNone()) {
      return Finding.skipped(option, "a request that the endpoint answers " + hundreds + "xx");
    }
    Exchange first = session.send(session.requests().fresh(variation));
    if (first.status() / 100 != hundreds) {
      return Finding.notObserved(
          option + " should lead to " + hundreds + "xx, and led to " + first.reply());
    }
    Exchange retry = session.send(first.request());
    Exchange control = session.send(session.requests().underNewKey(first.request()));
    ResultSource seen = seen(session, first, retry, control);
    if (seen == ResultSource.UNKNOWN) {
      return Finding.notObserved("the retry got the same error, which every request gets here");
    }
    return policy == ErrorPolicy.REPLAYED
        ? Finding.require(seen == ResultSource.FIRST, "the same error, replayed", first, retry)
        : Finding.require(seen == ResultSource.OTHER, "a second execution", first, retry);
  }

  /**
   * Counters do not count errors. What tells is the marker, or that the same payload under another
   * key gets an error that differs, say by an id.
   */
  private static ResultSource seen(
      Session session, Exchange first, Exchange retry, Exchange control) {
    if (!retry.reply().sameResult(first.reply())) {
      return ResultSource.OTHER;
    }
    if (session.replayDetection().marks(retry.reply())) {
      return ResultSource.FIRST;
    }
    if (!control.reply().sameResult(first.reply())) {
      return ResultSource.FIRST;
    }
    return session.replayDetection().replaysMarked() ? ResultSource.OTHER : ResultSource.UNKNOWN;
  }
}
