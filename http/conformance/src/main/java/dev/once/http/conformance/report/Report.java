package dev.once.http.conformance.report;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param url the server that was checked
 * @param strict whether a missing rule beyond the draft breaks it, too
 * @param results one for each rule, in the order of the rules
 */
public record Report(String url, boolean strict, List<Result> results, Duration took) {

  /** The text that the rules are taken from. */
  public static final String DRAFT = "draft-ietf-httpapi-idempotency-key-header-07";

  public Report {
    results = List.copyOf(results);
  }

  /** Whether a caller should end in failure. */
  public boolean broken() {
    return !failed().isEmpty();
  }

  /** The failed rules that break the report: those of the draft, and all of them when strict. */
  public List<Result> failed() {
    return results.stream().filter(this::breaks).toList();
  }

  /** The failed rules beyond the draft that do not break the report. */
  public List<Result> missing() {
    return results.stream().filter(this::isMissing).toList();
  }

  /** How many rules ended so. */
  public long count(Outcome outcome) {
    return results.stream().filter(result -> result.outcome() == outcome).count();
  }

  boolean breaks(Result result) {
    return result.outcome() == Outcome.FAILED && (strict || result.rule().ofDraft());
  }

  boolean isMissing(Result result) {
    return result.outcome() == Outcome.FAILED && !breaks(result);
  }

  /** One line that says it all, also how much could not be judged. */
  public String verdict() {
    List<String> broken = failed().stream().map(result -> result.rule().id()).toList();
    long asked = results.stream().filter(result -> result.rule().ofDraft()).count();
    long open = results.stream().filter(Report::isOpen).count();
    String draft = "Conforms: all " + asked + " rules of the draft hold.";
    if (!broken.isEmpty()) {
      draft = "Broken: " + String.join(", ", broken) + ".";
    } else if (open > 0) {
      draft = "Nothing broken: " + (asked - open) + " of " + asked + " rules of the draft hold.";
    }
    return draft + counts(broken.size());
  }

  private static boolean isOpen(Result result) {
    boolean judged = result.outcome() == Outcome.PASSED || result.outcome() == Outcome.FAILED;
    return result.rule().ofDraft() && !judged;
  }

  private String counts(int broken) {
    return String.format(
        Locale.ROOT,
        " %d passed, %d failed, %d missing, %d skipped, %d not observed.",
        count(Outcome.PASSED),
        broken,
        missing().size(),
        count(Outcome.SKIPPED),
        count(Outcome.NOT_OBSERVED));
  }
}
