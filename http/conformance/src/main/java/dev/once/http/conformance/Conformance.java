package dev.once.http.conformance;

import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;
import dev.once.http.conformance.rules.AllRules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Checks a server, rule by rule. */
public final class Conformance {

  private Conformance() {}

  /** All rules, in the order in which they are checked: those of the draft first. */
  public static List<Rule> rules() {
    return AllRules.list();
  }

  /**
   * Checks every rule. Makes about 130 requests, and leaves behind what they made. With a counter,
   * nobody else should use the endpoint meanwhile.
   *
   * @throws TargetException if the server cannot be checked as it is described
   * @throws CancellationException if the thread is interrupted
   */
  public static Report run(Target target, Listener progress) {
    long startedAt = System.nanoTime();
    List<Result> results = AllRules.check(target, progress);
    Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
    return new Report(target.url(), target.strict(), results, took);
  }
}
