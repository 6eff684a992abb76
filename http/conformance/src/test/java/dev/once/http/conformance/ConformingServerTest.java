package dev.once.http.conformance;

import static dev.once.http.conformance.ErrorPolicy.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Result;
import dev.once.http.conformance.report.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Servers that do what they are described to do: nothing fails, and what is skipped is known. */
class ConformingServerTest {

  private static final String X_KEY = "X-Idempotency-Key";
  private static final String X_REPLAY = "X-Idempotency-Replay";

  @Test
  @DisplayName("ietf: every rule passes where a key is optional")
  void ietf_every_rule_passes_where_a_key_is_optional() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      passes(server.target(), "draft-2.7-missing");
    }
  }

  @Test
  @DisplayName("ietf: every rule passes where a key is required")
  void ietf_every_rule_passes_where_a_key_is_required() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF.needingKeys())) {
      passes(server.target().required(Required.YES), "beyond-no-key");
    }
  }

  @Test
  @DisplayName("ietf: every rule passes with bare keys")
  void ietf_every_rule_passes_with_bare_keys() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      passes(server.target().keyStyle(KeyStyle.UUID), "draft-2.7-missing");
    }
  }

  @Test
  @DisplayName("ietf: every rule passes with composite keys")
  void ietf_every_rule_passes_with_composite_keys() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      passes(server.target().keyStyle(KeyStyle.COMPOSITE), "draft-2.7-missing");
    }
  }

  @Test
  @DisplayName("stripe: another payload gets 400")
  void stripe_another_payload_gets_400() {
    ServerBehaviour stripe = ServerBehaviour.IETF.answering(400, 409, "Idempotent-Replayed");
    try (JdkFront server = JdkFront.of(stripe)) {
      Report report = passes(server.target().mismatch(Mismatch.parse("400")), "draft-2.7-missing");
      assertThat(ConformanceRuns.detail(report, "draft-2.7-reuse-status"))
          .containsExactly("as described: 400; the draft names 422");
    }
  }

  @Test
  @DisplayName("strict: a key is required, and a running operation may be 425")
  void strict_a_key_is_required_and_a_running_operation_may_be_425() {
    ServerBehaviour strict =
        ServerBehaviour.IETF.needingKeys().answering(422, 425, "Idempotent-Replayed");
    try (JdkFront server = JdkFront.of(strict)) {
      passes(server.target().required(Required.YES).busy("409,425"), "beyond-no-key");
    }
  }

  @Test
  @DisplayName("portal: header and marker have other names")
  void portal_header_and_marker_have_other_names() {
    ServerBehaviour portal =
        ServerBehaviour.IETF
            .keys(X_KEY, "[\\x21-\\x7e&&[^\"]]{1,128}", true)
            .answering(422, 409, X_REPLAY);
    try (JdkFront server = JdkFront.of(portal)) {
      passes(
          server.target().keyHeader(X_KEY).keyStyle(KeyStyle.UUID).marker(X_REPLAY + ": true"),
          "draft-2.7-missing");
    }
  }

  @Test
  @DisplayName("booking: keys are composite, and errors are released")
  void booking_keys_are_composite_and_errors_are_released() {
    ServerBehaviour booking =
        ServerBehaviour.IETF
            .keys("Idempotency-Key", ServerBehaviour.COMPOSITE, true)
            .needingKeys()
            .keeping(false, false);
    try (JdkFront server = JdkFront.of(booking)) {
      passes(
          server.target().required(Required.YES).keyStyle(KeyStyle.COMPOSITE).errors(RELEASED),
          "beyond-no-key");
    }
  }

  @Test
  @DisplayName("leads: key and payload are the identity, keys are bare UUIDs")
  void leads_key_and_payload_are_the_identity_keys_are_bare_uuids() {
    ServerBehaviour leads =
        ServerBehaviour.IETF
            .keys(X_KEY, ServerBehaviour.UUID_V4, false)
            .needingKeys()
            .answering(0, 409, X_REPLAY)
            .keeping(true, false);
    try (JdkFront server = JdkFront.of(leads)) {
      Report report =
          passes(
              server
                  .target()
                  .required(Required.YES)
                  .keyHeader(X_KEY)
                  .keyStyle(KeyStyle.UUID)
                  .marker(X_REPLAY + ": true")
                  .mismatch(Mismatch.EXECUTED)
                  .failures(RELEASED),
              "beyond-no-key",
              "draft-2.1-string",
              "draft-2.7-reuse-status",
              "beyond-mismatch-first",
              "beyond-quotes");
      assertThat(ConformanceRuns.detail(report, "draft-2.1-string"))
          .singleElement()
          .asString()
          .contains("--key-style quoted");
    }
  }

  @Test
  @DisplayName("srs016: letters, digits and hyphens only, and failures are released")
  void srs016_letters_digits_and_hyphens_only_and_failures_are_released() {
    ServerBehaviour srs016 =
        ServerBehaviour.IETF
            .keys("Idempotency-Key", "[A-Za-z0-9-]{8,255}", false)
            .keeping(true, false);
    try (JdkFront server = JdkFront.of(srs016)) {
      passes(
          server.target().keyStyle(KeyStyle.UUID).failures(RELEASED),
          "draft-2.7-missing",
          "draft-2.1-string",
          "beyond-quotes");
    }
  }

  @Test
  @DisplayName("a server that lets the others wait conforms, and there is no conflict to look at")
  void a_server_that_lets_the_others_wait_conforms() {
    ServerBehaviour waiting = ServerBehaviour.IETF.answering(422, 0, "Idempotent-Replayed");
    try (JdkFront server = JdkFront.of(waiting)) {
      Report report =
          passes(
              server.target(),
              "draft-2.7-missing",
              "draft-2.6-after-conflict",
              "beyond-retry-after");
      assertThat(ConformanceRuns.detail(report, "draft-2.7-concurrent-409"))
          .containsExactly("they waited for the same answer; the draft names 409");
    }
  }

  @Test
  @DisplayName("a slow body, a counter in JSON and a marker that is not used serve as well")
  void a_slow_body_a_counter_in_json_and_no_marker_serve_as_well() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF, Defect.NO_MARKER)) {
      TargetBuilder target =
          Target.at(server.url("/orders?from=test"))
              .countUrl(server.url("/stats"))
              .countPointer("/data/made")
              .slowBody("{\"reference\":\"{unique}\",\"do\":\"slow\"}")
              .rejectBody("{\"reference\":\"{unique}\",\"do\":\"reject\"}")
              .failBody("{\"reference\":\"{unique}\",\"do\":\"fail\"}")
              .required(Required.NO)
              .noMarker();
      passes(
          target, "draft-2.7-missing", "beyond-marker", "beyond-marker-only", "beyond-credentials");
      passes(
          target.countPointer("/data/list"),
          "draft-2.7-missing",
          "beyond-marker",
          "beyond-marker-only",
          "beyond-credentials");
    }
  }

  @Test
  @DisplayName("progress is told for each rule, before and after")
  void progress_is_told_for_each_rule_before_and_after() {
    List<String> heard = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    List<Rule> rules = Conformance.rules();
    for (int i = 0; i < rules.size(); i++) {
      expected.add(i + 1 + " of " + rules.size() + " " + rules.get(i).id());
      expected.add("done " + rules.get(i).id());
    }
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Conformance.run(
          Target.at(server.url("/orders")).build(),
          new Listener() {
            @Override
            public void started(Rule rule, int number, int total) {
              heard.add(number + " of " + total + " " + rule.id());
            }

            @Override
            public void finished(Result result) {
              heard.add("done " + result.rule().id());
            }
          });
    }
    assertThat(heard).isEqualTo(expected);
  }

  /** Runs, and requires that all rules pass but those that cannot be judged. */
  private static Report passes(TargetBuilder target, String... notJudged) {
    Report report = ConformanceRuns.run(target);
    Set<String> passed = ConformanceRuns.ids(report, Outcome.PASSED);
    assertThat(Conformance.rules())
        .extracting(Rule::id)
        .filteredOn(id -> !passed.contains(id))
        .as(() -> ConformanceRuns.table(report))
        .containsExactlyInAnyOrder(notJudged);
    assertThat(ConformanceRuns.ids(report, Outcome.FAILED)).isEmpty();
    assertThat(report.broken()).isFalse();
    return report;
  }
}
