package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.report.Rule;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A suite that cannot fail is worthless: each defect is noticed, and each rule can be broken. */
class DefectTest {

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("a defect is noticed by exactly the rules that are about it")
  void a_defect_is_noticed_by_exactly_the_rules_that_are_about_it(Defect defect) {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF, defect)) {
      // Two, because the server waits for a second request and might be done before an eighth.
      TargetBuilder target = server.target().parallel(2);
      if (defect == Defect.HANGS_ON_LONG_KEYS) {
        target.requestTimeout(Duration.ofSeconds(5));
      }
      Report report = ConformanceRuns.run(target);
      Set<String> noticedBy = new HashSet<>(ConformanceRuns.ids(report, Outcome.FAILED));
      if (defect == Defect.ONE_KEY_FOR_ALL) {
        noticedBy.remove("beyond-disconnect"); // seen only if the refusal comes after the hang-up
      }
      assertThat(noticedBy).as(() -> ConformanceRuns.table(report)).isEqualTo(defect.noticedBy);
    }
  }

  @Test
  @DisplayName("a key that is documented as required, and is not, is noticed")
  void a_key_that_is_documented_as_required_and_is_not_is_noticed() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(server.target().required(Required.YES));
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED)).containsExactly("draft-2.7-missing");
    }
  }

  @Test
  @DisplayName("a key that is documented as optional, and is not, is noticed")
  void a_key_that_is_documented_as_optional_and_is_not_is_noticed() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF.needingKeys())) {
      Report report = ConformanceRuns.run(server.target());
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED)).containsExactly("beyond-no-key");
    }
  }

  @Test
  @DisplayName("errors that are documented as released, and are kept, are noticed")
  void errors_that_are_documented_as_released_and_are_kept_are_noticed() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(server.target().errors(ErrorPolicy.RELEASED));
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED))
          .containsExactlyInAnyOrder("draft-2.6-rejection", "draft-2.6-failure");
    }
  }

  @Test
  @DisplayName("another payload that is documented as a new operation, and is refused, is noticed")
  void another_payload_that_is_documented_as_new_and_is_refused_is_noticed() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      Report report = ConformanceRuns.run(server.target().mismatch(Mismatch.EXECUTED));
      assertThat(ConformanceRuns.ids(report, Outcome.FAILED)).containsExactly("draft-2.2-reuse");
    }
  }

  @Test
  @DisplayName("there is no rule that nothing can break")
  void there_is_no_rule_that_nothing_can_break() {
    Set<String> breakable = new TreeSet<>(Set.of("draft-2.7-missing"));
    Arrays.stream(Defect.values()).forEach(defect -> breakable.addAll(defect.noticedBy));
    assertThat(Conformance.rules()).extracting(Rule::id).hasSameElementsAs(breakable);
  }
}
