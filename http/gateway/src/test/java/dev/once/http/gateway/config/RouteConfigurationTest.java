package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.HttpProfile;
import dev.once.http.semantics.PolicyValue;
import dev.once.http.semantics.Routes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RouteConfigurationTest {

  @TempDir Path folder;
  TestSources sources;

  @BeforeEach
  void upstream() {
    sources = TestSources.withUpstream(folder);
  }

  private HttpPolicy policyFor(String method, String path) {
    return sources.load().settings().routes().policyFor(method, path);
  }

  @Test
  void a_route_starts_from_the_policy_of_everything() {
    sources.file(
        "required: true",
        "retention: 48h",
        "routes:",
        "  - match: POST /payments/**",
        "    retention: 72h");
    HttpPolicy policy = policyFor("POST", "/payments/7");
    assertThat(policy.policy().retention()).isEqualTo(Duration.ofDays(3));
    assertThat(policy.required()).isTrue();
    assertThat(policyFor("POST", "/orders").policy().retention()).isEqualTo(Duration.ofDays(2));
  }

  @Test
  void a_route_with_a_profile_starts_from_that() {
    sources.file(
        "retention: 48h",
        "routes:",
        "  - match: POST /leads",
        "    profile: leads",
        "    lease: 1m");
    HttpPolicy wanted = PolicyValue.LEASE.set(HttpProfile.LEADS.policy(), "1m");
    assertThat(policyFor("POST", "/leads")).isEqualTo(wanted);
  }

  @Test
  void a_service_that_ignores_case_does_so_on_routes_with_a_profile_too() {
    sources.file("ignore-case: true", "routes:", "  - match: POST /leads", "    profile: leads");
    assertThat(policyFor("POST", "/Leads").keyHeader()).isEqualTo("X-Idempotency-Key");
    assertThat(policyFor("POST", "/orders").ignoreCase()).isTrue();
  }

  @Test
  void to_switch_once_off_is_to_switch_it_off_on_every_route() {
    sources.file("routes:", "  - match: POST /leads", "    profile: leads");
    sources.variable("IDEMPOTENCY_ENABLED", "false");
    assertThat(policyFor("POST", "/leads").enabled()).isFalse();
    assertThat(policyFor("POST", "/orders").enabled()).isFalse();
  }

  @Test
  void what_a_route_says_is_stronger_than_a_flag() {
    sources.file("routes:", "  - match: POST /payments", "    retention: 72h");
    sources.flag("retention", "1h");
    assertThat(policyFor("POST", "/payments").policy().retention()).isEqualTo(Duration.ofDays(3));
  }

  @Test
  void the_first_route_that_matches_decides() {
    sources.file(
        "routes:",
        "  - match: POST /payments/refunds",
        "  - match: POST /payments/*",
        "    ttl: 1h");
    Configuration configuration = sources.load();
    Routes routes = configuration.settings().routes();
    assertThat(routes.routes()).hasSize(2);
    assertThat(routes.policyFor("POST", "/payments/refunds")).isEqualTo(routes.base());
    assertThat(configuration.policyFor("POST", "/payments/refunds").title())
        .isEqualTo("POST /payments/refunds");
    assertThat(configuration.policyFor("POST", "/payments/7").title())
        .isEqualTo("POST /payments/*");
    assertThat(configuration.policyFor("POST", "/orders").title()).isEqualTo("everything else");
  }

  @Test
  void it_is_known_who_decided_each_value() {
    sources
        .flag("lease", "1m")
        .variable("ONCE_ON_BUSY", "wait")
        .file("required: true", "routes:", "  - match: POST /payments", "    retention: 72h");
    PolicyInForce policy = sources.load().policyFor("POST", "/payments");
    assertThat(policy.origin(PolicyValue.LEASE)).hasToString("--lease");
    assertThat(policy.origin(PolicyValue.ON_BUSY)).hasToString("ONCE_ON_BUSY");
    assertThat(policy.origin(PolicyValue.REQUIRED)).hasToString(folder + "/once.yaml:1");
    assertThat(policy.origin(PolicyValue.RETENTION)).hasToString(folder + "/once.yaml:4");
    assertThat(policy.origin(PolicyValue.KEEP)).hasToString("profile ietf");
    assertThat(policy.differs(PolicyValue.RETENTION)).isTrue();
    assertThat(policy.differs(PolicyValue.KEEP)).isFalse();
  }

  @Test
  void an_earlier_route_that_matches_all_of_a_later_one_hides_it() {
    record Pair(String first, String second, boolean hidden) {}
    for (Pair pair :
        List.of(
            new Pair("POST /payments", "POST /payments", true),
            new Pair("/payments", "POST /payments", true),
            new Pair("POST /payments", "/payments", false),
            new Pair("POST,PATCH /payments", "PATCH /payments", true),
            new Pair("POST /payments/**", "POST /payments", true),
            new Pair("POST /payments/**", "POST /payments/*/refunds", true),
            new Pair("POST /payments/*", "POST /payments/**", false),
            new Pair("POST /payments/*", "POST /payments/7", true),
            new Pair("POST /payments/7", "POST /payments/*", false),
            new Pair("POST /v*/x", "POST /v1/x", true),
            new Pair("POST /v*/x", "POST /w1/x", false),
            new Pair("POST /**", "PATCH /x", false),
            new Pair("/**/x", "POST /a/b/x", true),
            new Pair("/**/a/**/b", "/**/a/x/**/b", true),
            new Pair("/**/a/**/b", "/**/x/**/b", false))) {
      sources.file("routes:", "  - match: " + pair.first, "  - match: " + pair.second);
      assertThat(sources.problems())
          .as("%s before %s", pair.first, pair.second)
          .isEqualTo(
              pair.hidden
                  ? List.of(
                      "once.yaml:3: match: '%s' is never reached (expected: before '%s' in line 2, which matches all of it)"
                          .formatted(pair.second, pair.first))
                  : List.of());
    }
  }
}
