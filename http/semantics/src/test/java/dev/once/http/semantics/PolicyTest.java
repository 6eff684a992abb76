package dev.once.http.semantics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PolicyTest {

  @ParameterizedTest
  @EnumSource
  void every_value_of_every_profile_can_be_written_as_it_is_shown(PolicyValue value) {
    for (HttpProfile profile : HttpProfile.ALL) {
      assertThat(value.set(profile.policy(), value.show(profile.policy())))
          .isEqualTo(profile.policy());
      assertThat(PolicyValue.labelled(value.label())).contains(value);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "enabled | maybe | true or false",
        "header | two words | a header name",
        "methods | POST, GET | a list such as POST, PATCH, without the safe ones",
        "refusal-format | xml | problem or stripe",
        "key-form | uuid | string, visible-ascii, alphanumeric, uuid-v4 or composite",
        "key-min-length | 0 | 1 to key-max-length",
        "key-min-length | 256 | 1 to key-max-length",
        "key-max-length | 2000 | key-min-length to 1024",
        "mismatch-status | 200 | 400 to 599",
        "busy-status | soon | 400 to 599",
        "retention | 0 | a duration such as 30s, 5m, 24h or 7d",
        "retention | tomorrow | a duration such as 30s, 5m, 24h or 7d",
        "lease | 999999999999d | a duration such as 30s, 5m, 24h or 7d",
        "on-crash | panic | run-again, outcome-unknown or hold",
        "max-stored-body | 17m | bytes, or with k or m; at most 16m",
        "max-request-body | 999999999999m | bytes, or with k or m; at most 64m"
      })
  void an_impossible_value_is_refused_with_what_is_possible(
      String label, String text, String expected) {
    PolicyValue value = PolicyValue.labelled(label).orElseThrow();
    assertThatThrownBy(() -> value.set(HttpPolicy.DEFAULT, text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(label + ": '" + text + "' (expected: " + expected + ")");
  }

  @ParameterizedTest
  @CsvSource({"86400,24h", "24h,24h", "72h,72h", "7d,7d", "PT5M,5m", "90s,90s", "250ms,250ms"})
  void a_retention_can_be_written_in_several_ways(String text, String shown) {
    HttpPolicy policy = PolicyValue.labelled("ttl").orElseThrow().set(HttpPolicy.DEFAULT, text);
    assertThat(PolicyValue.RETENTION.show(policy)).isEqualTo(shown);
  }

  @Test
  void two_values_that_bound_each_other_can_be_set_together() {
    HttpPolicy policy =
        PolicyValue.setAll(
            HttpPolicy.DEFAULT,
            Map.of(PolicyValue.KEY_MIN_LENGTH, "300", PolicyValue.KEY_MAX_LENGTH, "400"),
            (value, why) -> {
              throw why;
            });
    assertThat(policy.keyRule()).isEqualTo(new KeyRule(KeyForm.STRING, 300, 400));
  }

  @Test
  void of_values_set_together_those_that_do_not_fit_are_told_and_the_others_are_set() {
    List<String> told = new ArrayList<>();
    HttpPolicy policy =
        PolicyValue.setAll(
            HttpPolicy.DEFAULT,
            Map.of(PolicyValue.KEY_MIN_LENGTH, "300", PolicyValue.REQUIRED, "true"),
            (value, why) -> told.add(why.getMessage()));
    assertThat(told).containsExactly("key-min-length: '300' (expected: 1 to key-max-length)");
    assertThat(policy).isEqualTo(HttpPolicy.DEFAULT.with(p -> p.required(true)));
  }

  @Test
  void the_guide_lists_every_value_as_the_table_has_it() throws Exception {
    List<String> rows = new ArrayList<>();
    for (PolicyValue value : PolicyValue.values()) {
      String shown = value.show(HttpPolicy.DEFAULT);
      rows.add(
          "| `%s` | %s | %s | %s |"
              .formatted(
                  value.label(),
                  value.meaning(),
                  value.expected(),
                  shown.isEmpty() ? "none" : "`" + shown + "`"));
    }
    String guide = Files.readString(Path.of("../../docs/gateway.md"));
    String section = guide.substring(guide.indexOf("## Values of a policy"));
    assertThat(section.substring(0, section.indexOf("\n## ", 1)).lines())
        .filteredOn(line -> line.startsWith("| `"))
        .containsExactlyElementsOf(rows);
  }

  /** The table of the requirements, row by row. */
  @Test
  void the_seven_profiles_have_the_values_of_their_documents() {
    assertThat(HttpProfile.ALL)
        .extracting(
            HttpProfile::name,
            p -> p.policy().keyHeader(),
            p -> p.policy().required(),
            p -> PolicyValue.METHODS.show(p.policy()),
            p -> p.policy().mismatchStatus(),
            p -> p.policy().busyStatus(),
            p -> p.policy().policy().onRejection(),
            p -> p.policy().policy().onFailure(),
            p -> p.policy().marker(),
            p -> p.policy().policy().retention(),
            p -> p.policy().policy().lease(),
            p -> p.policy().policy().onStoreDown())
        .containsExactly(
            row("ietf", "", false, "PATCH, POST", 422, OnEnd.RECORD, OnEnd.RECORD, 24 * 60, true),
            row("stripe", "", false, "POST", 400, OnEnd.RECORD, OnEnd.RECORD, 24 * 60, true),
            row("strict", "", true, ALL, 422, OnEnd.RECORD, OnEnd.RECORD, 24 * 60, true),
            row("portal", "X-", false, PPP, 422, OnEnd.RECORD, OnEnd.RECORD, 24 * 60, true),
            row("booking", "", true, ALL, 422, OnEnd.RELEASE, OnEnd.RELEASE, 24 * 60, false),
            row("leads", "X-", true, "POST", 422, OnEnd.RECORD, OnEnd.RELEASE, 5, false),
            row("srs016", "", false, "PATCH, POST", 422, OnEnd.RECORD, OnEnd.RELEASE, 1440, true));
    assertThat(HttpProfile.ALL)
        .allSatisfy(p -> assertThat(p.policy().policy().onBusy()).isEqualTo(OnBusy.REJECT));
    assertThat(HttpProfile.named("leads").policy().identity()).isEqualTo(Identity.KEY_AND_REQUEST);
    assertThat(HttpProfile.named("ietf").policy().policy().onCrash())
        .isEqualTo(OnCrash.OUTCOME_UNKNOWN);
  }

  private static final String ALL = "DELETE, PATCH, POST, PUT";
  private static final String PPP = "PATCH, POST, PUT";

  private static org.assertj.core.groups.Tuple row(
      String name,
      String prefix,
      boolean required,
      String methods,
      int mismatch,
      OnEnd rejection,
      OnEnd failure,
      int minutes,
      boolean refuses) {
    return org.assertj.core.groups.Tuple.tuple(
        name,
        prefix + "Idempotency-Key",
        required,
        methods,
        mismatch,
        409,
        rejection,
        failure,
        prefix.isEmpty() ? "Idempotent-Replayed" : "X-Idempotency-Replay",
        Duration.ofMinutes(minutes),
        Duration.ofMinutes(5),
        refuses ? OnStoreDown.REFUSE : OnStoreDown.GO_ON);
  }

  @Test
  void an_unknown_profile_is_refused_with_the_known_ones() {
    assertThatThrownBy(() -> HttpProfile.named("striped"))
        .hasMessage(
            "profile: striped (expected: one of ietf, stripe, strict, portal, booking, leads,"
                + " srs016)");
  }

  // Routes.

  @ParameterizedTest
  @CsvSource({
    "POST /payments/**, POST, /payments, true",
    "POST /payments/**, POST, /payments/1/confirm, true",
    "POST /payments/**, PUT, /payments, false",
    "POST /payments/*, POST, /payments, false",
    "POST /payments/*, POST, /payments/1, true",
    "POST /payments/*, POST, /payments/1/2, false",
    "/refunds, DELETE, /refunds, true",
    "* /refunds, POST, /refunds/, true",
    "/a/**/z, POST, /a/z, true",
    "/a/**/z, POST, /a/b/c/z, true",
    "/a/**/z, POST, /a/b/c, false",
    "/v*/pay, POST, /v12/pay, true",
    "/v*/pay, POST, /w1/pay, false",
    "/payments, POST, //payments, true",
    "/payments, POST, /x/../payments, true",
    "/payments, POST, /%70ayments, true",
    "/payments, POST, /x/%2e%2e/payments;v=1, true",
    "/payments, POST, /Payments, false",
    "/**, POST, /, true"
  })
  void a_route_matches_however_a_path_is_spelled(
      String pattern, String method, String path, boolean matches) {
    HttpPolicy own = HttpPolicy.DEFAULT.with(p -> p.required(true));
    Routes routes =
        new Routes(HttpPolicy.DEFAULT, List.of(new Routes.Route(RoutePattern.parse(pattern), own)));
    assertThat(routes.policyFor(method, path).required()).isEqualTo(matches);
  }

  @Test
  void a_list_of_methods_and_a_comma_is_a_route_too() {
    RoutePattern pattern = RoutePattern.parse("put,PATCH /orders/*");
    assertThat(pattern.matches("PUT", List.of("orders", "1"))).isTrue();
    assertThat(pattern).hasToString("PUT,PATCH /orders/*");
  }

  @Test
  void the_first_route_that_matches_decides() {
    Routes routes =
        new Routes(
            HttpPolicy.DEFAULT,
            List.of(
                new Routes.Route(
                    RoutePattern.parse("/a/b"), HttpPolicy.DEFAULT.with(p -> p.busyStatus(425))),
                new Routes.Route(
                    RoutePattern.parse("/a/**"), HttpPolicy.DEFAULT.with(p -> p.busyStatus(429)))));
    assertThat(routes.policyFor("POST", "/a/b").busyStatus()).isEqualTo(425);
    assertThat(routes.policyFor("POST", "/a/c").busyStatus()).isEqualTo(429);
    assertThat(routes.policyFor("POST", "/c").busyStatus()).isEqualTo(409);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "payments", "POST payments", "POST /a /b", "PO(ST /a", "/a?b", "/a**", "/*a*"})
  void a_bad_route_is_refused_with_an_example(String text) {
    assertThatThrownBy(() -> RoutePattern.parse(text))
        .hasMessageContaining("(expected: such as POST /payments/** or /refunds/*)");
  }

  @Test
  void a_policy_cannot_have_safe_methods() {
    assertThatThrownBy(() -> HttpPolicy.DEFAULT.with(p -> p.methods(Set.of("get"))))
        .hasMessage("methods: GET (expected: methods that change something)");
  }
}
