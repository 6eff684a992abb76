package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions about what one call came to. */
public final class ResultAssert extends AbstractAssert<ResultAssert, Result> {

  ResultAssert(Result result) {
    super(result, ResultAssert.class);
  }

  /** The handler ran, and retries get its answer. */
  public ResultAssert wasExecuted() {
    return check(
        actual instanceof Result.Executed executed && executed.recorded(), "executed and recorded");
  }

  /** The handler did not run: this is the recorded answer. */
  public ResultAssert wasReplayed() {
    return check(actual instanceof Result.Replayed, "replayed");
  }

  public ResultAssert wasRefused(Reason reason) {
    return check(
        actual instanceof Result.Refused refused && refused.refusal().reason() == reason,
        "refused as " + reason);
  }

  /** The client gets an answer with this code and body. */
  public ResultAssert hasAnswer(int code, String body) {
    Answer answer = answer();
    return check(
        answer != null && answer.code() == code && answer.body().equals(Body.of(body)),
        "answered with " + code + " " + Texts.of(Body.of(body)));
  }

  private @Nullable Answer answer() {
    if (actual instanceof Result.Executed executed) {
      return executed.answer();
    }
    return actual instanceof Result.Replayed replayed ? replayed.answer() : null;
  }

  private ResultAssert check(boolean holds, String expected) {
    isNotNull();
    if (!holds) {
      throw failure("Expected it to be %s, but it was %s.", expected, instead());
    }
    return this;
  }

  private String instead() {
    if (actual instanceof Result.Executed executed) {
      String recorded = executed.recorded() ? "executed" : "executed and not recorded";
      return recorded + ", with " + Texts.of(executed.answer());
    }
    if (actual instanceof Result.Replayed replayed) {
      return "replayed, with " + Texts.of(replayed.answer());
    }
    Result.Refused refused = (Result.Refused) actual;
    return "refused as " + refused.refusal().reason() + ": " + refused.refusal().detail();
  }
}
