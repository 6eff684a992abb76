package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.Conformance;
import dev.once.http.conformance.ErrorPolicy;
import dev.once.http.conformance.KeyStyle;
import dev.once.http.conformance.Listener;
import dev.once.http.conformance.Mismatch;
import dev.once.http.conformance.Protocol;
import dev.once.http.conformance.RefusalStyle;
import dev.once.http.conformance.Required;
import dev.once.http.conformance.Target;
import dev.once.http.conformance.TargetBuilder;
import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Result;
import dev.once.http.semantics.HttpProfile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The conformance suite against a gateway process under each profile, over HTTP/1.1 and HTTP/2.
 * Each profile is described here as its documentation does; the suite finds out whether that is
 * true.
 *
 * <p>Every rule has to hold, those beyond the draft included. Which rules a profile cannot be asked
 * about is part of its description, so that none is left out in silence.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ProfilesConformanceTest {

  private static final Set<String> NO_KEY_REQUIRED = Set.of("draft-2.7-missing");
  private static final Set<String> KEY_REQUIRED = Set.of("beyond-no-key");

  /** Another payload is another operation, so there is no mismatch to look at. */
  private static final Set<String> NO_MISMATCH =
      Set.of("draft-2.7-reuse-status", "beyond-mismatch-first");

  /** The client for HTTP/2 sends ASCII only. */
  private static final Set<String> NOT_OVER_HTTP_2 = Set.of("draft-2.1-non-ascii");

  private static final List<Described> PROFILES =
      List.of(
          new Described("ietf", NO_KEY_REQUIRED, t -> t.required(Required.NO)),
          new Described(
              "stripe",
              NO_KEY_REQUIRED,
              t ->
                  t.keyStyle(KeyStyle.UUID)
                      .required(Required.NO)
                      .mismatch(Mismatch.parse("400"))
                      .refusals(RefusalStyle.STRIPE)),
          new Described("strict", KEY_REQUIRED, t -> t.required(Required.YES)),
          new Described(
              "portal",
              NO_KEY_REQUIRED,
              t -> withX(t).keyStyle(KeyStyle.UUID).required(Required.NO)),
          new Described(
              "booking",
              KEY_REQUIRED,
              t ->
                  t.keyStyle(KeyStyle.COMPOSITE)
                      .required(Required.YES)
                      .errors(ErrorPolicy.RELEASED)),
          new Described(
              "leads",
              both(KEY_REQUIRED, NO_MISMATCH),
              t ->
                  withX(t)
                      .keyStyle(KeyStyle.UUID)
                      .required(Required.YES)
                      .mismatch(Mismatch.EXECUTED)
                      .failures(ErrorPolicy.RELEASED)),
          new Described(
              "srs016",
              NO_KEY_REQUIRED,
              t -> t.keyStyle(KeyStyle.UUID).required(Required.NO).failures(ErrorPolicy.RELEASED)));

  /**
   * A profile as its documentation describes it; what is not said is as in the draft.
   *
   * @param notAsked the rules that are skipped, and no other
   */
  record Described(String profile, Set<String> notAsked, UnaryOperator<TargetBuilder> description) {

    Set<String> notAsked(Protocol protocol) {
      return protocol == Protocol.HTTP_2 ? both(notAsked, NOT_OVER_HTTP_2) : notAsked;
    }

    @Override
    public String toString() {
      return profile;
    }
  }

  private static TargetBuilder withX(TargetBuilder target) {
    return target.keyHeader("X-Idempotency-Key").marker("X-Idempotency-Replay: true");
  }

  static List<Described> profiles() {
    return PROFILES;
  }

  @TempDir private Path folder;

  @Test
  void every_profile_is_described() {
    assertThat(PROFILES)
        .extracting(Described::profile)
        .containsExactlyInAnyOrderElementsOf(
            HttpProfile.ALL.stream().map(HttpProfile::name).toList());
  }

  @ParameterizedTest(name = "{0} keeps every rule, over HTTP/1.1 and over HTTP/2")
  @MethodSource("profiles")
  void conforms(Described described) {
    try (Upstream upstream = new Upstream(201);
        GatewayProcess gateway =
            GatewayProcess.start(
                upstream.url(),
                folder,
                "--profile",
                described.profile(),
                "--store",
                "sqlite:once.db",
                "--docs-url",
                upstream.url() + Upstream.COUNT)) { // a page that is there
      for (Protocol protocol : EnumSet.allOf(Protocol.class)) {
        Report report = Conformance.run(target(gateway, described, protocol), Listener.NONE);
        assertThat(report.broken()).as("%s: %s", protocol, faults(report)).isFalse();
        assertThat(unjudged(report))
            .as("%s: rules that were not judged: %s", protocol, faults(report))
            .isEqualTo(described.notAsked(protocol));
      }
    }
  }

  /** Whatever is a failure here breaks the report: it is strict. */
  private static Target target(GatewayProcess gateway, Described described, Protocol protocol) {
    return described
        .description()
        .apply(Target.at(gateway.url() + "/orders"))
        .http(protocol)
        .header("Authorization: Bearer one")
        .secondHeader("Authorization: Bearer two")
        .countUrl(gateway.url() + Upstream.COUNT)
        .slowHeader("X-Slow: 400")
        .rejectBody("{\"reject\":\"" + Target.UNIQUE + "\"}")
        .failBody("{\"fail\":\"" + Target.UNIQUE + "\"}")
        .strict(true)
        .build();
  }

  private static Set<String> unjudged(Report report) {
    return report.results().stream()
        .filter(result -> result.outcome() != Outcome.PASSED)
        .map(result -> result.rule().id())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String faults(Report report) {
    List<String> lines = new ArrayList<>(List.of(report.verdict()));
    for (Result result : report.results()) {
      if (result.outcome() != Outcome.PASSED) {
        lines.add(result.outcome() + " " + result.rule().id() + " " + result.detail());
      }
    }
    return String.join("\n", lines);
  }

  private static Set<String> both(Set<String> one, Set<String> other) {
    Set<String> both = new TreeSet<>(one);
    both.addAll(other);
    return both;
  }
}
