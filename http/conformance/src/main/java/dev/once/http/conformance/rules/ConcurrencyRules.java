package dev.once.http.conformance.rules;

import static dev.once.http.conformance.rules.CheckedRule.additional;
import static dev.once.http.conformance.rules.CheckedRule.should;

import dev.once.http.conformance.Target;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Requests that meet while an operation is running. */
final class ConcurrencyRules {

  /** Long enough for a request to arrive, short enough for it to be running still. */
  private static final Duration UNDER_WAY = Duration.ofMillis(100);

  /** RFC 9110: seconds, or a date. */
  private static final String RETRY_AFTER = "\\d+|[A-Z][a-z]{2}, .* GMT";

  static final List<CheckedRule> ALL =
      List.of(
          should(
              "draft-2.6-concurrent-once",
              "2.6",
              "Of many requests at once with one key, exactly one is processed.",
              ConcurrencyRules::once),
          should(
              "draft-2.7-concurrent-409",
              "2.7",
              "A request whose operation is running gets 409, or waits for the same answer.",
              ConcurrencyRules::conflict),
          should(
              "draft-2.6-after-conflict",
              "2.6",
              "After a conflict, a retry gets the first answer.",
              ConcurrencyRules::afterConflict),
          additional(
              "beyond-retry-after",
              "A conflict says when to try again.",
              ConcurrencyRules::retryAfter),
          additional(
              "beyond-mismatch-first",
              "While an operation is running, another payload is refused as such, not as a"
                  + " conflict.",
              ConcurrencyRules::mismatchFirst),
          additional(
              "beyond-disconnect",
              "A client that hangs up while it waits gets the result when it tries again.",
              ConcurrencyRules::disconnect));

  private ConcurrencyRules() {}

  private static Finding once(Session session) throws NoAnswerException {
    Race race = session.race();
    List<Exchange> served = race.served();
    OptionalLong effects = race.effects();
    if (served.isEmpty()) {
      return Finding.failed("one request that is processed", race.answers());
    }
    if (effects.isPresent() && effects.getAsLong() != 1) {
      return Finding.failed("one effect (the count grew by " + effects.getAsLong() + ")", served);
    }
    boolean countedOnce = effects.isPresent() || served.size() == 1;
    if (!countedOnce && session.replayDetection().answersDiffer() && race.results().size() > 1) {
      return Finding.failed("one result", race.results());
    }
    if (!countedOnce && !session.replayDetection().answersDiffer()) {
      return unmarked(session, race);
    }
    return race.overlapped() ? Finding.PASSED : race.notOverlapped();
  }

  /** The last resort where answers look the same and nobody counts. */
  private static Finding unmarked(Session session, Race race) {
    if (!session.replayDetection().replaysMarked()) {
      return ReplayDetection.notDetectable();
    }
    List<Exchange> firsts = new ArrayList<>(race.served());
    firsts.removeIf(exchange -> session.replayDetection().marks(exchange.reply()));
    if (firsts.size() > 1) {
      return Finding.failed("one answer that is not a replay", firsts);
    }
    return race.overlapped() ? Finding.PASSED : race.notOverlapped();
  }

  private static Finding conflict(Session session) throws NoAnswerException {
    Race race = session.race();
    String expected = Finding.either(session.target().answers().busy());
    if (!race.lost().isEmpty()) {
      return Finding.failed(expected + ", or the same answer", race.lost().get(0));
    }
    if (!race.unexpected().isEmpty()) {
      return Finding.failed(expected + ", or the same answer", race.unexpected());
    }
    if (session.replayDetection().answersDiffer() && race.results().size() > 1) {
      return Finding.failed(expected + ", or the same answer", race.results());
    }
    if (!race.overlapped()) {
      return race.notOverlapped();
    }
    if (!race.busy().isEmpty()) {
      return Finding.PASSED;
    }
    boolean same = session.replayDetection().answersDiffer() || race.effects().isPresent();
    return same
        ? Finding.passed("they waited for the same answer; the draft names 409")
        : ReplayDetection.notDetectable();
  }

  private static Finding afterConflict(Session session) throws NoAnswerException {
    Race race = session.race();
    if (race.busy().isEmpty()) {
      return noConflict(race);
    }
    if (race.served().isEmpty()) {
      return Finding.notObserved("none of the requests at once was processed");
    }
    Exchange winner = race.served().get(0);
    boolean known =
        race.served().stream().anyMatch(e -> e.reply().sameResult(race.after().reply()));
    return Finding.require(
        known, "the answer that one of them got", race.busy().get(0), winner, race.after());
  }

  private static Finding retryAfter(Session session) throws NoAnswerException {
    Race race = session.race();
    if (race.busy().isEmpty()) {
      return noConflict(race);
    }
    List<Exchange> silent = new ArrayList<>(race.busy());
    silent.removeIf(e -> e.reply().first("Retry-After").orElse("").matches(RETRY_AFTER));
    return silent.isEmpty() ? Finding.PASSED : Finding.failed("a Retry-After field", silent.get(0));
  }

  private static Finding noConflict(Race race) {
    return race.overlapped()
        ? Finding.notObserved("no request was told of a conflict")
        : race.notOverlapped();
  }

  /** Whichever of the two comes first is processed, so the other one has to be the mismatch. */
  private static Finding mismatchFirst(Session session) throws NoAnswerException {
    Variation slow = session.target().slow();
    Set<Integer> expected = session.target().answers().mismatch().statuses();
    if (expected.isEmpty()) {
      return Finding.skipped(
          "--mismatch with a status", "this server is described as executing another payload");
    }
    if (slow.isNone()) {
      return notSlow();
    }
    if (!session.requests().payloadsDiffer(slow)) {
      return Finding.skipped(
          "--slow-body with " + Target.UNIQUE, "without it there is no other payload to send");
    }
    Request one = session.requests().fresh(slow);
    Wire.Pending first = session.start(one);
    Wire.Pending second = session.start(session.requests().otherPayload(one, slow));
    List<Exchange> both = List.of(first.await(), second.await());
    boolean served = both.stream().anyMatch(exchange -> exchange.reply().ok());
    boolean refused = both.stream().anyMatch(exchange -> expected.contains(exchange.status()));
    return served && refused
        ? Finding.PASSED
        : Finding.failed("one that is processed, and " + Finding.either(expected), both);
  }

  private static Finding disconnect(Session session) throws NoAnswerException {
    Variation slow = session.target().slow();
    if (slow.isNone()) {
      return notSlow();
    }
    Request request = session.requests().fresh(slow);
    OptionalLong before = session.count();
    if (!session.start(request).hangUpAfter(UNDER_WAY)) {
      return Finding.notObserved(
          "the answer came within " + UNDER_WAY.toMillis() + " ms, before the client hung up");
    }
    Exchange retry = session.untilNotBusy(request);
    if (!session.replayDetection().marks(retry.reply())) {
      // Perhaps a second execution: the count is right only when the first is over, too.
      session.pause(session.race().slowest().plus(UNDER_WAY));
    }
    OptionalLong effects = session.growthSince(before, 1);
    if (!retry.reply().ok()) {
      return Finding.failed("the result of the request that was hung up on", retry);
    }
    if (effects.isPresent()) {
      return Finding.require(
          effects.getAsLong() == 1,
          "one effect (the count grew by " + effects.getAsLong() + ")",
          retry);
    }
    return session.replayDetection().marks(retry.reply())
        ? Finding.PASSED
        : Finding.notObserved("there was a result; --count-url would show that it is the only one");
  }

  private static Finding notSlow() {
    return Finding.skipped(
        "--slow-header or --slow-body", "the operation has to be running for a while");
  }
}
