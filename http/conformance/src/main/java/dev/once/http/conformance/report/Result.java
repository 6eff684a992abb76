package dev.once.http.conformance.report;

import java.time.Duration;
import java.util.List;

/**
 * How one rule fared.
 *
 * @param detail lines for people: what was expected, what was sent, what came back
 */
public record Result(Rule rule, Outcome outcome, List<String> detail, Duration took) {

  public Result {
    detail = List.copyOf(detail);
  }
}
