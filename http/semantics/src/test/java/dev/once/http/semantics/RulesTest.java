package dev.once.http.semantics;

import static dev.once.http.semantics.TestHead.post;
import static dev.once.http.semantics.TestHead.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Operation;
import dev.once.core.Origin;
import dev.once.http.semantics.Routes.Match;
import dev.once.http.semantics.ScopeRule.User;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RulesTest {

  private static final Problems PROBLEMS = new Problems(URI.create("https://api.example/docs"));
  private static final String UUID = "550e8400-e29b-41d4-a716-446655440000";
  private static final Bytes BODY = Bytes.utf8("{\"amount\":10}");

  private final TestRules ietf = rules(HttpProfile.IETF.policy());

  private static TestRules rules(HttpPolicy policy) {
    return new TestRules(Routes.all(policy), ScopeRule.DEFAULT, PROBLEMS);
  }

  private static ProtectedRequest protect(TestRules rules, RequestHead head) {
    assertThat(rules.look(head)).isInstanceOf(Verdict.Protect.class);
    return ((Verdict.Protect) rules.look(head)).request();
  }

  private static Operation operation(TestRules rules, RequestHead head) {
    return protect(rules, head).operation(BODY).from(Origin.CALL); // what a log says may differ
  }

  private static Reply refused(TestRules rules, RequestHead head) {
    assertThat(rules.look(head)).isInstanceOf(Verdict.Refuse.class);
    return ((Verdict.Refuse) rules.look(head)).reply();
  }

  @Test
  void a_key_in_quotes_and_the_same_key_bare_name_the_same_operation() {
    assertThat(operation(ietf, post("Idempotency-Key", "\"abc\"")))
        .isEqualTo(operation(ietf, post("idempotency-key", " abc ")));
    assertThat(protect(ietf, post("Idempotency-Key", "\"a\\\"b\\\\c\";v=1")).key().bytes())
        .isEqualTo(Bytes.utf8("a\"b\\c"));
  }

  @Test
  void a_key_in_quotes_may_have_spaces_which_belong_to_it() {
    assertThat(protect(ietf, post("Idempotency-Key", "\" order 7 \";v=1")).key().bytes())
        .isEqualTo(Bytes.utf8(" order 7 "));
    assertThat(operation(ietf, post("Idempotency-Key", "\"order 7\"")))
        .isNotEqualTo(operation(ietf, post("Idempotency-Key", "order7")));
  }

  @ParameterizedTest
  @CsvSource({
    "ietf, true",
    "stripe, true",
    "strict, false",
    "portal, false",
    "booking, false",
    "leads, false",
    "srs016, false"
  })
  void spaces_are_for_profiles_that_take_any_string(String profile, boolean taken) {
    HttpPolicy policy = HttpProfile.named(profile).policy();
    Verdict verdict = rules(policy).look(post(policy.keyHeader(), "\"order 7 of 9\""));
    assertThat(verdict instanceof Verdict.Protect).isEqualTo(taken);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\"a\tb\"",
        "\"k\u00e9 y\"",
        "\"a\u007fb\"",
        "\"\"",
        "\"abc",
        "abc\"",
        "a\"b",
        "\"a\\b\"",
        "\"a\" \"b\"",
        "a b",
        "k\u00e9y",
        "a\u0001b",
        "\"abc\\"
      })
  void a_bad_key_is_refused_with_the_rule_and_without_the_key(String key) {
    Reply reply = refused(ietf, post("Idempotency-Key", key));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body().toUtf8())
        .contains("https://api.example/docs#key-malformed")
        .contains("1 to 255 characters: visible ASCII")
        .contains("PT24H");
  }

  @Test
  void a_refusal_never_repeats_the_key() {
    String key = "secret-" + "x".repeat(300);
    assertThat(refused(ietf, post("Idempotency-Key", key)).body().toUtf8())
        .doesNotContain("secret")
        .contains("it has 307 characters");
  }

  @Test
  void two_key_headers_are_one_too_many_even_if_they_agree() {
    Reply reply = refused(ietf, post("Idempotency-Key", "a", "Idempotency-Key", "a"));
    assertThat(reply.body().toUtf8()).contains("the header is there 2 times");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
  void methods_out_of_scope_pass(String method) {
    assertThat(ietf.look(request(method, "/x", "Idempotency-Key", "\"bad")))
        .isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void without_a_key_a_request_passes_unless_one_is_required() {
    assertThat(ietf.look(post())).isInstanceOf(Verdict.Pass.class);
    Reply reply = refused(rules(HttpProfile.STRICT.policy()), post());
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body().toUtf8()).contains("#key-missing").contains("Idempotency-Key");
  }

  @ParameterizedTest
  @CsvSource({
    "portal, X-Idempotency-Key, 1, true",
    "leads, X-Idempotency-Key, 550e8400-e29b-41d4-a716-446655440000, true",
    "leads, X-Idempotency-Key, 550E8400-E29B-41D4-A716-446655440000, true",
    "leads, X-Idempotency-Key, 550e8400-e29b-11d4-a716-446655440000, false",
    "leads, X-Idempotency-Key, abc-123, false",
    "booking, Idempotency-Key, usr_abc123:booking.create:res_xyz:1704067200000, true",
    "booking, Idempotency-Key, usr_abc123:booking.create:res_xyz:yesterday, false",
    "booking, Idempotency-Key, usr_abc123:booking.create:1704067200000, false",
    "booking, Idempotency-Key, a:b:c:d:1, false",
    "srs016, Idempotency-Key, 7ba7c8d5, true",
    "srs016, Idempotency-Key, 7ba7c8d, false",
    "srs016, Idempotency-Key, 7ba7c8d5_x, false",
    "stripe, Idempotency-Key, KG5LxwFBepaKHyUD, true"
  })
  void each_profile_has_its_rule_for_keys(String profile, String header, String key, boolean good) {
    Verdict verdict = rules(HttpProfile.named(profile).policy()).look(post(header, key));
    assertThat(verdict instanceof Verdict.Protect).isEqualTo(good);
  }

  @Test
  void a_portal_key_of_129_characters_is_too_long() {
    TestRules portal = rules(HttpProfile.PORTAL.policy());
    assertThat(portal.look(post("X-Idempotency-Key", "x".repeat(128))))
        .isInstanceOf(Verdict.Protect.class);
    assertThat(portal.look(post("X-Idempotency-Key", "x".repeat(129))))
        .isInstanceOf(Verdict.Refuse.class);
  }

  @Test
  void a_request_without_a_body_is_in_scope_unless_the_profile_says_no() {
    RequestHead head = post("Idempotency-Key", UUID).withoutBody();
    assertThat(ietf.look(head)).isInstanceOf(Verdict.Protect.class);
    assertThat(rules(HttpProfile.SRS016.policy()).look(head)).isInstanceOf(Verdict.Pass.class);
  }

  // What was asked.

  @Test
  void another_path_query_method_or_body_is_another_request() {
    Operation first = operation(ietf, request("POST", "/a/1?x=1", "Idempotency-Key", "k"));
    assertThat(
            List.of(
                operation(ietf, request("POST", "/a/2?x=1", "Idempotency-Key", "k")),
                operation(ietf, request("POST", "/a/1?x=2", "Idempotency-Key", "k")),
                operation(ietf, request("PATCH", "/a/1?x=1", "Idempotency-Key", "k")),
                protect(ietf, request("POST", "/a/1?x=1", "Idempotency-Key", "k"))
                    .operation(Bytes.utf8("{\"amount\":11}"))))
        .allSatisfy(
            other -> {
              assertThat(other.id()).isEqualTo(first.id());
              assertThat(other.fingerprint()).isNotEqualTo(first.fingerprint());
            });
  }

  @Test
  void the_order_of_json_members_makes_no_other_request() {
    ProtectedRequest request =
        protect(ietf, post("Idempotency-Key", "k", "Content-Type", "application/json"));
    assertThat(request.operation(Bytes.utf8("{\"a\":1, \"b\":2.0}")))
        .isEqualTo(request.operation(Bytes.utf8("{\"b\":2,\"a\":1}")));
  }

  @Test
  void a_critical_header_belongs_to_the_request_and_others_do_not() {
    TestRules critical = rules(PolicyValue.CRITICAL_HEADERS.set(HttpPolicy.DEFAULT, "X-Account"));
    Operation one = operation(critical, post("Idempotency-Key", "k", "X-Account", "1"));
    Operation two = operation(critical, post("Idempotency-Key", "k", "X-Account", "2"));
    assertThat(one.fingerprint()).isNotEqualTo(two.fingerprint());
    assertThat(operation(ietf, post("Idempotency-Key", "k", "X-Account", "1")))
        .isEqualTo(operation(ietf, post("Idempotency-Key", "k", "X-Account", "2")));
  }

  @Test
  void for_leads_the_key_and_the_request_together_are_the_operation() {
    TestRules leads = rules(HttpProfile.LEADS.policy());
    ProtectedRequest request = protect(leads, post("X-Idempotency-Key", UUID));
    assertThat(request.operation(BODY).id()).isEqualTo(request.operation(BODY).id());
    assertThat(request.operation(BODY).id())
        .isNotEqualTo(request.operation(Bytes.utf8("other")).id());
  }

  // Whose it is.

  @Test
  void by_default_another_authorization_is_another_caller_and_the_token_is_not_kept() {
    Operation one = operation(ietf, post("Idempotency-Key", "k", "Authorization", "Bearer one"));
    Operation two = operation(ietf, post("Idempotency-Key", "k", "Authorization", "Bearer two"));
    assertThat(one.id()).isNotEqualTo(two.id());
    assertThat(one.id().scope().user()).startsWith("sha256:").doesNotContain("one");
  }

  @Test
  void a_tenant_header_is_required_once_and_tells_tenants_apart() {
    TestRules tenants =
        new TestRules(ietf.routes(), ScopeRule.DEFAULT.withTenantHeader("X-Tenant"), PROBLEMS);
    assertThat(operation(tenants, post("Idempotency-Key", "k", "X-Tenant", "a")).id())
        .isNotEqualTo(operation(tenants, post("Idempotency-Key", "k", "X-Tenant", "b")).id());
    assertThat(refused(tenants, post("Idempotency-Key", "k")).body().toUtf8())
        .contains("#tenant-missing")
        .contains("X-Tenant");
    assertThat(refused(tenants, post("Idempotency-Key", "k", "X-Tenant", "a", "X-Tenant", "b")))
        .isNotNull();
  }

  @Test
  void a_user_can_be_read_from_a_header_or_a_cookie_or_not_at_all() {
    TestRules header = users(User.HEADER, "X-User");
    assertThat(user(header, "X-User", "alice"))
        .startsWith("sha256:")
        .isEqualTo(user(header, "x-user", " alice "))
        .isNotEqualTo(user(header, "X-User", "bob"));
    assertThat(user(header, "Authorization", "Bearer one")).isEmpty();
    assertThat(user(header, "X-User", "x".repeat(600))).startsWith("sha256:");
    TestRules cookie = users(User.COOKIE, "sid");
    assertThat(user(cookie, "Cookie", "a=1; sid=one; b=2"))
        .startsWith("sha256:")
        .isEqualTo(user(cookie, "Cookie", "sid=one"))
        .isNotEqualTo(user(cookie, "Cookie", "sid=two"));
    assertThat(user(cookie, "Cookie", "a=1")).isEmpty();
  }

  @Test
  void the_same_text_in_another_place_is_another_caller() {
    assertThat(
            List.of(
                user(ietf, "Authorization", "x"),
                user(users(User.HEADER, "A"), "A", "x"),
                user(users(User.HEADER, "B"), "B", "x"),
                user(users(User.COOKIE, "A"), "Cookie", "A=x")))
        .doesNotHaveDuplicates();
  }

  /** Else a retry over an upgrade would be a new operation, and run again. */
  @Test
  void who_an_authorization_or_a_cookie_names_is_the_same_in_all_versions() {
    assertThat(user(ietf, "Authorization", "Bearer one"))
        .isEqualTo("sha256:" + Fingerprint.of("Bearer one").hash().toHex());
    assertThat(user(users(User.COOKIE, "sid"), "Cookie", "a=1; sid=one"))
        .isEqualTo("sha256:" + Fingerprint.of("sid=one").hash().toHex());
  }

  @Test
  void no_short_name_of_a_tenant_is_that_of_a_long_one() {
    TestRules tenants =
        new TestRules(ietf.routes(), ScopeRule.DEFAULT.withTenantHeader("X-Tenant"), PROBLEMS);
    String stored = tenant(tenants, "x".repeat(600));
    assertThat(stored.length()).isLessThan(600);
    assertThat(tenant(tenants, stored)).isNotEqualTo(stored);
  }

  private static String tenant(TestRules rules, String name) {
    return protect(rules, post("Idempotency-Key", "k", "X-Tenant", name)).scope().tenant();
  }

  @Test
  void whoever_shows_no_identity_is_refused_where_callers_must_be_told_apart() {
    TestRules strict =
        new TestRules(ietf.routes(), ScopeRule.DEFAULT.withAnonymous(false), PROBLEMS);
    assertThat(refused(strict, post("Idempotency-Key", "k")).body().toUtf8())
        .contains("#caller-unknown", "Authorization", "--user-header");
    assertThat(user(strict, "Authorization", "Bearer one")).startsWith("sha256:");
    assertThat(strict.look(post())).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void another_host_is_another_request_and_another_spelling_of_it_is_not() {
    Operation first = operation(ietf, post("Idempotency-Key", "k", "Host", "api.example"));
    for (String same :
        List.of("API.example", "api.example.", "api.example:80", "api.example:8443")) {
      assertThat(operation(ietf, post("Idempotency-Key", "k", "Host", same))).isEqualTo(first);
    }
    for (String other : List.of("other.example", "[2001:db8::1]", "")) {
      assertThat(operation(ietf, post("Idempotency-Key", "k", "Host", other)).fingerprint())
          .isNotEqualTo(first.fingerprint());
    }
    assertThat(operation(ietf, post("Idempotency-Key", "k", "Host", "[2001:db8::1]:80")))
        .isEqualTo(operation(ietf, post("Idempotency-Key", "k", "Host", "[2001:DB8::1]")));
  }

  @Test
  void a_path_in_another_case_is_the_same_where_the_service_takes_it_for_the_same() {
    TestRules ignoring = rules(HttpPolicy.DEFAULT.with(p -> p.ignoreCase(true)));
    String[] key = {"Idempotency-Key", "k"};
    assertThat(operation(ignoring, request("POST", "/Orders/A", key)))
        .isEqualTo(operation(ignoring, request("POST", "/orders/a", key)));
    assertThat(operation(ietf, request("POST", "/Orders/A", key)))
        .isNotEqualTo(operation(ietf, request("POST", "/orders/a", key)));
  }

  private TestRules users(User user, String name) {
    return new TestRules(ietf.routes(), ScopeRule.DEFAULT.withUser(user, name), PROBLEMS);
  }

  private static String user(TestRules rules, String name, String value) {
    return protect(rules, post("Idempotency-Key", "k", name, value)).scope().user();
  }

  @Test
  void whose_key_it_is_is_not_asked_without_a_good_key() {
    Rules rules = new Rules("test", PROBLEMS);
    Match match = new Match(HttpProfile.STRICT.policy(), "POST /x");
    Supplier<Caller> never =
        () -> {
          throw new AssertionError("asked");
        };
    assertThat(rules.evaluate(post(), match, never)).isInstanceOf(Verdict.Refuse.class);
    assertThat(rules.evaluate(post("Idempotency-Key", "a b"), match, never))
        .isInstanceOf(Verdict.Refuse.class);
    assertThat(rules.evaluate(request("GET", "/x"), match, never)).isInstanceOf(Verdict.Pass.class);
  }

  @Test
  void a_request_knows_its_surface_and_its_route() {
    Routes routes =
        new Routes(
            HttpPolicy.DEFAULT,
            List.of(new Routes.Route(RoutePattern.parse("POST /payments/**"), HttpPolicy.DEFAULT)));
    TestRules rules = new TestRules(routes, ScopeRule.DEFAULT, PROBLEMS);
    ProtectedRequest asked = protect(rules, request("POST", "/payments/7", "Idempotency-Key", "k"));
    Origin origin = asked.operation(BODY).origin();
    assertThat(origin.surface()).isEqualTo("test");
    assertThat(origin.route()).isEqualTo("POST /payments/**");
    assertThat(origin.source()).hasToString("POST /payments/7 from 192.0.2.1 (null)");
    assertThat(protect(rules, request("POST", "/x", "Idempotency-Key", "k")).origin().route())
        .isEqualTo(Match.EVERYTHING_ELSE);
  }
}
