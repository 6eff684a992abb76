package dev.once.http.conformance.rules;

import dev.once.http.conformance.Target;
import dev.once.http.conformance.Target.Variation;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * The same request many times at once. All are equal, so it does not matter which one comes first:
 * one should be processed, and the others be told so or wait for its answer.
 *
 * @param slow whether the endpoint was asked to take its time
 * @param answers in no order
 * @param lost requests that got no answer
 * @param after a retry when all was over
 */
record Race(
    boolean slow,
    List<Exchange> answers,
    List<NoAnswerException> lost,
    OptionalLong effects,
    Exchange after,
    Target target) {

  /** What takes less than this may have run one after the other. */
  private static final Duration SLOW = Duration.ofMillis(50);

  static Race run(Session session) throws NoAnswerException {
    Variation variation = session.target().slow();
    Request request = session.requests().fresh(variation);
    OptionalLong before = session.count();
    List<Wire.Pending> running = new ArrayList<>();
    for (int i = 0; i < session.target().parallel(); i++) {
      running.add(session.start(request));
    }
    List<Exchange> answers = new ArrayList<>();
    List<NoAnswerException> lost = new ArrayList<>();
    for (Wire.Pending pending : running) {
      try {
        answers.add(pending.await());
      } catch (NoAnswerException e) {
        lost.add(e);
      }
    }
    OptionalLong effects = session.growthSince(before, 1);
    Exchange after = session.untilNotBusy(request);
    return new Race(!variation.isNone(), answers, lost, effects, after, session.target());
  }

  List<Exchange> busy() {
    return answers.stream().filter(e -> target.answers().busy().contains(e.status())).toList();
  }

  List<Exchange> served() {
    return answers.stream().filter(e -> e.reply().ok()).toList();
  }

  /** Neither served nor told that the operation is running. */
  List<Exchange> unexpected() {
    List<Exchange> odd = new ArrayList<>(answers);
    odd.removeAll(busy());
    odd.removeAll(served());
    return odd;
  }

  /** Answers of different executions, one of each. */
  List<Exchange> results() {
    List<Exchange> results = new ArrayList<>();
    for (Exchange exchange : served()) {
      if (results.stream().noneMatch(seen -> seen.reply().sameResult(exchange.reply()))) {
        results.add(exchange);
      }
    }
    return results;
  }

  /** Whether one request surely came while another was being processed. */
  boolean overlapped() {
    return !busy().isEmpty() || results().size() > 1 || (slow && somebodyWaited());
  }

  /** Besides the one that is processed, at least one other took long, too. */
  private boolean somebodyWaited() {
    return answers.stream().filter(e -> e.reply().duration().compareTo(SLOW) > 0).count() > 1;
  }

  /** How long the operation takes at most, as far as was seen. */
  Duration slowest() {
    return served().stream()
        .map(exchange -> exchange.reply().duration())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  Finding notOverlapped() {
    String seen = answers.size() + " requests at once, and none met another; ";
    return Finding.notObserved(
        slow
            ? seen + "does --slow-header or --slow-body make the endpoint slow?"
            : seen + "--slow-header or --slow-body would make them meet");
  }
}
