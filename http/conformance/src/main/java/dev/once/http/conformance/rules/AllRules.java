package dev.once.http.conformance.rules;

import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetException;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;
import dev.once.http.conformance.wire.NoAnswerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

/** All rules, in the order in which they are checked: those of the draft first. */
public final class AllRules {

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

  private AllRules() {}

  /** What is asked, without how it is checked. */
  public static List<Rule> list() {
    return RULES.stream().map(CheckedRule::rule).toList();
  }

  /** Checks one rule after the other. */
  public static List<Result> check(Target target, Listener progress) {
    Session session = ServerDiscovery.openSession(target);
    List<Result> results = new ArrayList<>();
    for (CheckedRule checked : RULES) {
      progress.started(checked.rule(), results.size() + 1, RULES.size());
      Result result = check(checked, session);
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while checking " + checked.rule().id());
      }
      results.add(result);
      progress.finished(result);
    }
    return results;
  }

  private static Result check(CheckedRule checked, Session session) {
    long startedAt = System.nanoTime();
    Finding finding;
    try {
      finding = checked.check().check(session);
    } catch (NoAnswerException e) {
      finding = Finding.failed("an answer", e);
    } catch (NotProcessedException | TargetException e) {
      finding = Finding.notObserved(String.valueOf(e.getMessage()));
    }
    Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
    return new Result(checked.rule(), finding.outcome(), finding.detail(), took);
  }
}
