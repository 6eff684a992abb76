package dev.once.http.conformance.report;

import dev.once.http.conformance.wire.Text;
import java.io.IOException;
import java.util.List;

/** Writes a report for a terminal. */
public final class TableWriter {

  private static final String BOLD = "\u001b[1m";
  private static final String GREEN = "\u001b[32m";
  private static final String RED = "\u001b[31m";
  private static final String YELLOW = "\u001b[33m";
  private static final String GREY = "\u001b[90m";
  private static final String PLAIN = "\u001b[0m";

  private final boolean colours;

  public TableWriter(boolean colours) {
    this.colours = colours;
  }

  /** Writes all of the report; what is not passed is followed by its detail. */
  public void write(Report report, Appendable out) throws IOException {
    out.append(report.url()).append("  (").append(Report.DRAFT).append(")\n");
    group("What the draft asks", report, true, out);
    group("What good servers do beyond it", report, false, out);
    String colour = report.broken() ? RED : GREEN;
    out.append('\n').append(painted(colour, report.verdict())).append('\n');
  }

  private void group(String heading, Report report, boolean draft, Appendable out)
      throws IOException {
    List<Result> results =
        report.results().stream().filter(result -> result.rule().ofDraft() == draft).toList();
    out.append('\n').append(painted(BOLD, heading)).append('\n');
    for (Result result : results) {
      Rule rule = result.rule();
      String where = draft ? pad(rule.level().name(), 7) + pad(rule.section(), 4) : "";
      out.append("  ").append(outcome(report, result)).append(where).append(rule.title());
      out.append("  ").append(painted(GREY, rule.id())).append('\n');
      for (String line : result.detail()) {
        out.append(" ".repeat(16)).append(painted(GREY, line)).append('\n');
      }
    }
  }

  private String outcome(Report report, Result result) {
    if (report.isMissing(result)) {
      return painted(YELLOW, pad("missing", 14));
    }
    String word = pad(Text.word(result.outcome()).replace('-', ' '), 14);
    return switch (result.outcome()) {
      case PASSED -> painted(GREEN, word);
      case FAILED -> painted(RED, pad("FAILED", 14));
      case SKIPPED, NOT_OBSERVED -> painted(GREY, word);
    };
  }

  private static String pad(String word, int width) {
    return word + " ".repeat(width - word.length());
  }

  private String painted(String colour, String text) {
    return colours ? colour + text + PLAIN : text;
  }
}
