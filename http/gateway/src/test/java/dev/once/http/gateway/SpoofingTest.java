package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.ScopeRule;
import dev.once.http.semantics.ScopeRule.User;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only the gateway, or a proxy that it trusts, may tell the service. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SpoofingTest extends GatewayFixture {

  private static final String KEYED = "POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\n";
  private static final String PLAIN = "PUT /p HTTP/1.1\r\nHost: h\r\n";

  private Service.Call sent(String head, String... lines) throws Exception {
    RawClient.Answer answer =
        raw().send(head + String.join("\r\n", lines) + "\r\nContent-Length: 2\r\n\r\n{}").read();
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return service.only("/p");
  }

  /** The values of all fields that a CGI-like service would see under this name. */
  private static List<String> variable(Service.Call call, String name) {
    return call.fields.stream()
        .filter(field -> field.name().replaceAll("[^A-Za-z0-9]", "-").equalsIgnoreCase(name))
        .map(dev.once.core.Header::value)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void no_spelling_of_fence_and_attempt_passes(String head) throws Exception {
    start();
    Service.Call call =
        sent(
            head,
            "Idempotency_Fence: 999",
            "IDEMPOTENCY_FENCE: 999",
            "idempotency.fence: 999",
            "Idempotency-Fence: 999",
            "Idempotency_Attempt: 999",
            "idempotency~attempt: 999");
    assertThat(variable(call, "Idempotency-Fence"))
        .hasSize(head.equals(KEYED) ? 1 : 0)
        .doesNotContain("999");
    assertThat(variable(call, "Idempotency-Attempt"))
        .isEqualTo(head.equals(KEYED) ? List.of("1") : List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void another_spelling_of_the_users_and_the_tenants_header_does_not_pass(String head)
      throws Exception {
    start(
        setup ->
            setup.scopes =
                ScopeRule.DEFAULT.withUser(User.HEADER, "X-User").withTenantHeader("X-Tenant"));
    Service.Call call =
        sent(
            head,
            "X_User: admin",
            "X-User: mallory",
            "x.tenant: other",
            "X-Tenant: own",
            "Idempotency_Key: other");
    assertThat(variable(call, "X-User")).containsExactly("mallory");
    assertThat(variable(call, "X-Tenant")).containsExactly("own");
    assertThat(variable(call, "Idempotency-Key"))
        .isEqualTo(head.equals(KEYED) ? List.of("k") : List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-User", "X-Tenant", "Idempotency-Key", "Authorization", "Cookie"})
  void a_client_cannot_take_away_what_it_was_judged_by(String name) throws Exception {
    start(
        setup ->
            setup.scopes =
                ScopeRule.DEFAULT.withUser(User.HEADER, "X-User").withTenantHeader("X-Tenant"));
    RawClient client = raw();
    client.send(
        KEYED
            + String.join("\r\n", "Connection: " + name, "X-User: mallory", "X-Tenant: own")
            + "\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(400);
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void a_client_does_not_say_where_it_is_or_what_it_asked(String head) throws Exception {
    start();
    Service.Call call =
        sent(
            head,
            "X-Forwarded-For: 10.0.0.1",
            "X_Forwarded_For: 10.0.0.1",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Host: evil.example",
            "X-Forwarded-Port: 444",
            "X-Forwarded-Prefix: /evil",
            "X-Forwarded-User: admin",
            "X-Real-IP: 10.0.0.1",
            "Forwarded: for=10.0.0.1;host=evil.example",
            "X-Original-URL: /admin",
            "X-Rewrite-URL: /admin",
            "X-Kept: yes");
    assertThat(variable(call, "X-Forwarded-For")).containsExactly("127.0.0.1");
    assertThat(variable(call, "X-Forwarded-Proto")).containsExactly("http");
    assertThat(variable(call, "X-Forwarded-Host")).containsExactly("h");
    for (String name :
        List.of(
            "X-Forwarded-Port",
            "X-Forwarded-Prefix",
            "X-Forwarded-User",
            "X-Real-IP",
            "Forwarded",
            "X-Original-URL",
            "X-Rewrite-URL")) {
      assertThat(variable(call, name)).as(name).isEmpty();
    }
    assertThat(call.field("X-Kept")).isEqualTo("yes");
  }

  @Test
  void over_http_2_a_client_says_no_more() {
    start();
    Protocol.H2C.send(
        gateway.port(),
        "POST",
        "/p",
        "{}",
        "Idempotency-Key: k",
        "X-Forwarded-For: 10.0.0.1",
        "X-Forwarded-Host: evil.example",
        "idempotency_fence: 999");
    Service.Call call = service.only("/p");
    assertThat(variable(call, "X-Forwarded-For")).containsExactly("127.0.0.1");
    assertThat(variable(call, "X-Forwarded-Host")).containsExactly("localhost:" + gateway.port());
    assertThat(variable(call, "Idempotency-Fence")).hasSize(1).doesNotContain("999");
  }

  // Proxies that are trusted.

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void a_trusted_proxy_says_for_whom_it_asks(String head) throws Exception {
    start(setup -> setup.trustedProxies = "192.0.2.1, 127.0.0.0/8");
    Service.Call call =
        sent(
            head,
            "X-Forwarded-For: 10.0.0.1, 10.0.0.2",
            "X_Forwarded_For: 10.6.6.6",
            "X-Forwarded-For: 10.0.0.3",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Host: example.org",
            "X-Forwarded-Port: 444",
            "X-Real-IP: 10.0.0.1",
            "Forwarded: for=10.0.0.1;host=example.org");
    assertThat(variable(call, "X-Forwarded-For"))
        .containsExactly("10.0.0.1, 10.0.0.2, 10.0.0.3, 127.0.0.1");
    assertThat(variable(call, "X-Forwarded-Proto")).containsExactly("https");
    assertThat(variable(call, "X-Forwarded-Host")).containsExactly("example.org");
    assertThat(variable(call, "X-Forwarded-Port")).containsExactly("444");
    assertThat(variable(call, "X-Real-IP")).containsExactly("10.0.0.1");
    assertThat(variable(call, "Forwarded"))
        .containsExactly("for=10.0.0.1;host=example.org, for=127.0.0.1");
  }

  @Test
  void the_host_that_a_trusted_proxy_was_asked_for_belongs_to_the_request() throws Exception {
    start(setup -> setup.trustedProxies = "127.0.0.1");
    sent(KEYED, "X-Forwarded-Host: a.example");
    String retry = KEYED + "Content-Length: 2\r\n";
    RawClient.Answer other = raw().send(retry + "X-Forwarded-Host: b.example\r\n\r\n{}").read();
    assertThat(other.status()).isEqualTo(422);
    RawClient.Answer same = raw().send(retry + "X-Forwarded-Host: A.example\r\n\r\n{}").read();
    assertThat(same.field("Idempotent-Replayed")).isEqualTo("true");
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "10.0.0.0/8, ::ffff:10.1.2.3, true",
    "::ffff:10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.4, false",
    "10.1.2.0/23, 10.1.3.255, true",
    "10.1.2.0/23, 10.1.4.0, false",
    "0.0.0.0/0, 192.0.2.1, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "::1, 0:0:0:0:0:0:0:1, true",
    "::1, 0:0:0:0:0:0:0:1%lo, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "10.0.0.0/8, somewhere, false",
    "'', 10.0.0.1, false",
  })
  void a_proxy_is_known_by_its_address(String trusted, String address, boolean contains) {
    assertThat(TrustedProxies.parse(trusted).contains(address)).isEqualTo(contains);
  }
}
