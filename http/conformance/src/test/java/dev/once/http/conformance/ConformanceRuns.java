package dev.once.http.conformance;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.TableWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs the conformance suite against a target, and reads its report. */
final class ConformanceRuns {

  /** Far more than a server takes that answers at all. */
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private ConformanceRuns() {}

  /** A target with all that the reference server offers. */
  static TargetBuilder full(String origin) {
    return Target.at(origin + "/orders")
        .header("Authorization: Bearer one")
        .secondHeader("Authorization: Bearer two")
        .countUrl(origin + "/count")
        .slowHeader("X-Slow: true")
        .rejectBody("{\"reference\":\"{unique}\",\"do\":\"reject\"}")
        .failBody("{\"reference\":\"{unique}\",\"do\":\"fail\"}")
        .requestTimeout(TIMEOUT)
        .required(Required.NO);
  }

  static Report run(TargetBuilder target) {
    return Conformance.run(target.connectTimeout(TIMEOUT).build(), Listener.NONE);
  }

  static Set<String> ids(Report report, Outcome outcome) {
    return report.results().stream()
        .filter(result -> result.outcome() == outcome)
        .map(result -> result.rule().id())
        .collect(Collectors.toSet());
  }

  static List<String> detail(Report report, String id) {
    return report.results().stream()
        .filter(result -> result.rule().id().equals(id))
        .findFirst()
        .orElseThrow()
        .detail();
  }

  static String table(Report report) {
    StringBuilder text = new StringBuilder();
    try {
      new TableWriter(false).write(report, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
