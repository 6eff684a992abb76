package dev.once.test;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.OperationId;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.OperationRecord;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions about what happened to one operation; each failure tells all that did. */
public final class OperationAssert extends AbstractAssert<OperationAssert, History> {

  private final RecordingStore store;
  private final OperationId id;

  OperationAssert(RecordingStore store, OperationId id) {
    super(store.history(id), OperationAssert.class);
    this.store = store;
    this.id = id;
  }

  /** It ran once, and has ended. */
  public OperationAssert wasExecutedOnce() {
    wasExecuted(1);
    return check(
        actual.events(Event.Ended.class).size() + actual.events(Event.Released.class).size() == 1,
        "to have ended",
        "has not");
  }

  /** It began to run so many times: more than once only after a crash, a release or expiry. */
  public OperationAssert wasExecuted(int times) {
    return check(
        actual.executions() == times,
        "to have been executed " + times(times),
        "was executed " + times(actual.executions()));
  }

  public OperationAssert wasNotExecuted() {
    return wasExecuted(0);
  }

  /** So many retries were given the recorded answer. */
  public OperationAssert wasReplayed(int times) {
    return check(
        actual.replays() == times,
        "to have been replayed " + times(times),
        "was replayed " + times(actual.replays()));
  }

  public OperationAssert wasNotReplayed() {
    return wasReplayed(0);
  }

  /**
   * At least one request was refused for this reason.
   *
   * <p>A store sees that a duplicate met the first one while it ran, and calls that BUSY. Where the
   * policy lets duplicates wait, and the first one runs in the same engine, the answer is handed on
   * without the store: look at the {@link ResultAssert result} of the duplicate there.
   */
  public OperationAssert wasRefused(Reason reason) {
    return check(
        actual.refusals().contains(reason), "to have been refused as " + reason, refusals());
  }

  /** So many requests were refused for this reason; see {@link #wasRefused(Reason)}. */
  public OperationAssert wasRefused(Reason reason, int times) {
    long found = actual.refusals().stream().filter(reason::equals).count();
    return check(
        found == times, "to have been refused as " + reason + " " + times(times), refusals());
  }

  public OperationAssert wasNotRefused() {
    return check(actual.refusals().isEmpty(), "not to have been refused", refusals());
  }

  /** This answer is recorded, and a retry would get it. */
  public OperationAssert hasAnswer(Answer answer) {
    return hasAnswer(answer.equals(recorded()), Texts.of(answer));
  }

  /** An answer with this code and body is recorded, and a retry would get it. */
  public OperationAssert hasAnswer(int code, String body) {
    Answer recorded = recorded();
    return hasAnswer(
        recorded != null && recorded.code() == code && recorded.body().equals(Body.of(body)),
        code + " " + Texts.of(Body.of(body)));
  }

  private OperationAssert hasAnswer(boolean holds, String expected) {
    Answer recorded = recorded();
    Answer last = actual.lastAnswer();
    return check(
        holds,
        "to have the answer " + expected,
        recorded != null
            ? "has " + Texts.of(recorded)
            : last != null ? "has none any more" : "has none");
  }

  /** It runs, or crashed: the key is taken, and there is no answer. */
  public OperationAssert isUnanswered() {
    return check(
        record().filter(record -> record.answer() == null).isPresent(),
        "to be taken and without an answer",
        state());
  }

  /** There is no record: a request with this key would run. */
  public OperationAssert isNew() {
    return check(record().isEmpty(), "to be new", state());
  }

  private String state() {
    return record().map(record -> "is " + record.status()).orElse("is new");
  }

  private Optional<OperationRecord> record() {
    return store.record(id);
  }

  private @Nullable Answer recorded() {
    return record().map(OperationRecord::answer).orElse(null);
  }

  private String refusals() {
    return actual.refusals().isEmpty() ? "was not" : "was refused as " + actual.refusals();
  }

  private static String times(int times) {
    return times == 1 ? "once" : times == 0 ? "never" : times + " times";
  }

  private OperationAssert check(boolean holds, String expected, String instead) {
    if (holds) {
      return this;
    }
    throw failure(
        "Expected operation %s %s, but it %s.%nWhat happened, until %s:%n%s%s",
        Texts.of(id),
        expected,
        instead,
        store.clock().instant(),
        actual,
        actual.events().isEmpty() ? "%nKeys that were used: %s".formatted(Texts.keys(store)) : "");
  }
}
