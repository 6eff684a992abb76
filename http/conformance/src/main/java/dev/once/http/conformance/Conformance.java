package dev.once.http.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

/** Checks a server, rule by rule. */
public final class Conformance {

  private static final List<CheckedRule> RULES =
      Stream.of(
              ReplayRules.ALL,
              KeyRules.ALL,
              ReuseRules.ALL,
              ConcurrencyRules.ALL,
              ErrorRules.ALL,
              ProblemRules.ALL)
          .flatMap(List::stream)
          .sorted((a, b) -> Boolean.compare(b.rule().ofDraft(), a.rule().ofDraft()))
          .toList();

  private Conformance() {}

  /** All rules, in the order in which they are checked: those of the draft first. */
  public static List<Rule> rules() {
    return RULES.stream().map(CheckedRule::rule).toList();
  }

  /**
   * Checks every rule. Makes some hundred requests, and leaves behind what they made. With a
   * counter, nobody else should use the endpoint meanwhile.
   *
   * @throws TargetException if the server cannot be checked as it is described
   * @throws CancellationException if the thread is interrupted
   */
  public static Report run(Target target, Listener progress) {
    long startedAt = System.nanoTime();
    Session session = Opening.of(target);
    List<Result> results = new ArrayList<>();
    for (CheckedRule checked : RULES) {
      progress.started(checked.rule(), results.size() + 1, RULES.size());
      Result result = run(checked, session);
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while checking " + checked.rule().id());
      }
      results.add(result);
      progress.finished(result);
    }
    return new Report(target.url(), target.strict(), results, since(startedAt));
  }

  private static Result run(CheckedRule checked, Session session) {
    long startedAt = System.nanoTime();
    Finding finding;
    try {
      finding = checked.check().check(session);
    } catch (NoAnswerException e) {
      finding = Finding.failed("an answer", e);
    } catch (NotProcessedException | TargetException e) {
      finding = Finding.notObserved(String.valueOf(e.getMessage()));
    }
    return new Result(checked.rule(), finding.outcome(), finding.detail(), since(startedAt));
  }

  private static Duration since(long startedAt) {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
