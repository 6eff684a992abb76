package dev.once.http.conformance.rules;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.wire.Exchange;
import dev.once.http.conformance.wire.NoAnswerException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What one check found, before it is known as a {@link Result}. */
record Finding(Outcome outcome, List<String> detail) {

  /** More would hide what matters. */
  private static final int SHOWN = 4;

  static final Finding PASSED = new Finding(Outcome.PASSED, List.of());

  /** Passed, with something worth saying. */
  static Finding passed(String remark) {
    return new Finding(Outcome.PASSED, List.of(remark));
  }

  static Finding failed(String expected, Exchange... shown) {
    return failed(expected, List.of(shown));
  }

  static Finding failed(String expected, List<Exchange> shown) {
    List<String> lines = new ArrayList<>();
    lines.add("expected: " + expected);
    shown.stream().limit(SHOWN).forEach(exchange -> lines.addAll(exchange.lines()));
    if (shown.size() > SHOWN) {
      lines.add("and " + (shown.size() - SHOWN) + " more");
    }
    return new Finding(Outcome.FAILED, lines);
  }

  static Finding failed(String expected, NoAnswerException e) {
    List<String> lines = new ArrayList<>();
    lines.add("expected: " + expected);
    lines.addAll(e.lines());
    return new Finding(Outcome.FAILED, lines);
  }

  /** Not tried for want of an option. */
  static Finding skipped(String option, String why) {
    return new Finding(Outcome.SKIPPED, List.of("needs " + option + ": " + why));
  }

  static Finding notObserved(String why) {
    return new Finding(Outcome.NOT_OBSERVED, List.of(why));
  }

  static Finding require(boolean holds, String expected, Exchange... shown) {
    return holds ? PASSED : failed(expected, shown);
  }

  /** The statuses with "or" between them. */
  static String either(Set<Integer> statuses) {
    StringBuilder text = new StringBuilder();
    new TreeSet<>(statuses).forEach(s -> text.append(text.isEmpty() ? "" : " or ").append(s));
    return text.toString();
  }
}
