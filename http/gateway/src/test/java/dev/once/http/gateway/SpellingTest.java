package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the rules judged is what the service sees, however it is spelled; or it is refused. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SpellingTest extends GatewayFixture {

  /** Needs a key for payments, and has one path that needs none under them. */
  private void startRequiring() {
    start(
        setup -> {
          setup.route("POST /payments/callbacks", "enabled", "false");
          setup.route("POST /payments/**", "required", "true");
          setup.route("/caf\u00e9", "required", "true");
          setup.route("DELETE /accounts/*", "methods", "DELETE");
        });
  }

  private RawClient.Answer ask(String method, String target, String... lines) throws Exception {
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: h\r\n");
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return raw().send(head + "Content-Length: 2\r\n\r\n{}").read();
  }

  private void assertRefused(RawClient.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.field("Content-Type")).isEqualTo("application/problem+json");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/payments",
        "/payments/",
        "/payments/7",
        "/payments;v=1",
        "/payments;v=1/7",
        "/payments%3Bv=1",
        "/%70ayments",
        "/%70ayments/7",
        "/%2570ayments",
        "/payments%2F7",
        "/payments%2f7",
        "/payments%5C7",
        "/payments%252F7",
        "/x%2F..%2Fpayments",
        "//payments",
        "//payments/7",
        "//x/payments",
        "//x/payments/7",
        "/payments//callbacks",
        "/payments/callbacks;v=1",
        "/payments/callbacks%2F7",
        "/payments/%63allbacks",
        "/payments/callbacks%2F..%2F7",
        "/payments%3Fx",
        "/payments%23x",
        "/payments%00",
        "/payments%00/x",
        "/payments%0A",
        "/payments%20%0d",
        "/./payments",
        "/x/../payments",
        "/x/%2e%2e/payments",
        "/x/.%2E/payments",
        "/x/..;v=1/payments",
        "/x/..%2Fpayments",
        "/x/%252e%252e/payments",
        "/x%2f%2e%2e/payments",
        "/x/..%5Cpayments",
        "/%C0%AE%C0%AE/payments",
        "/x%C0%AFpayments",
        "/caf%C3%A9",
        "/caf%E9",
        "/caf%c3%a9"
      })
  void no_spelling_of_a_path_goes_around_a_key_that_is_required(String target) throws Exception {
    startRequiring();
    assertRefused(ask("POST", target));
  }

  @ParameterizedTest
  @ValueSource(strings = {"post", "Post", "pOST", "delete", "patch", "get"})
  void a_method_in_another_case_is_refused(String method) throws Exception {
    startRequiring();
    assertRefused(ask(method, "/payments"));
    assertRefused(ask(method, "/other", "Idempotency-Key: k-1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/other",
        "/other/",
        "/other//x",
        "/other;v=1/x;w",
        "/other/a%2Fb",
        "/other/a%5Cb",
        "/other/%7Euser",
        "/other/100%25",
        "/other/a%20b",
        "/other/caf%C3%A9",
        "/other/caf%E9",
        "/other/a%3Fb%23c",
        "/other/...",
        "/other/.hidden",
        "/other/a..b",
        "/other?x=/../%2e%2e;//%00"
      })
  void what_makes_no_difference_to_the_rules_is_passed_on_as_it_is(String target) throws Exception {
    startRequiring();
    assertThat(ask("POST", target).status()).isEqualTo(201);
    assertThat(service.calls()).singleElement().matches(call -> call.target.equals(target));
  }

  @Test
  void within_one_route_spellings_make_no_difference() throws Exception {
    startRequiring();
    for (String target : List.of("/payments/7;v=1", "/payments/a//b", "/payments/a%2Fb")) {
      RawClient.Answer answer = ask("POST", target, "Idempotency-Key: k" + target.hashCode());
      assertThat(answer.status()).as(target).isEqualTo(201);
    }
  }

  @Test
  void where_all_paths_are_under_one_rule_no_path_has_too_many_readings() throws Exception {
    start(setup -> {});
    String target = "/obj/a%2Bb%2Fc%3Fd%25e;f";
    assertThat(ask("POST", target, "Idempotency-Key: k-1").status()).isEqualTo(201);
    assertThat(service.calls()).singleElement().matches(call -> call.target.equals(target));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/obj/a%2Bb%2Fc%3Fd%25e;f/%252e.",
        "/obj/a%2Bb%2F..%3Fd%25e;f",
        "/obj/a%2Bb%2Fc%3Fd%25e/..;f",
        "/..%23/a%2Bb%2Fc%3Fd%25e;f",
        "/obj/a%2Bb%5C..%5Cc%3Fd%25e;f",
        "/obj/a%2Bb%2Fc%3Fd%250a;f"
      })
  void but_dot_segments_and_control_characters_are_found_in_all_of_them(String target)
      throws Exception {
    start(setup -> {});
    assertRefused(ask("POST", target));
  }

  @Test
  void where_rules_differ_a_path_with_too_many_readings_is_refused() throws Exception {
    startRequiring();
    assertRefused(ask("POST", "/obj/a%2Bb%2Fc%3Fd%25e;f"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/../x", "/a/../../x", "/%2e%2e/x", "/..%2Fx", "/..;/x", "/..%5cx", "/.", "/.."})
  void no_path_climbs_out_of_the_upstreams_own(String target) throws Exception {
    start(
        setup ->
            setup.upstream = java.net.URI.create("http://localhost:" + service.port() + "/api"));
    assertRefused(ask("POST", target));
    assertRefused(ask("GET", target));
    assertRefused(ask("POST", target, "Idempotency-Key: k-1"));
    assertRefused(ask("GET", "http://h" + target));
    assertThat(Protocol.H2C.send(gateway.port(), "GET", target, null).status()).isEqualTo(400);
    assertThat(service.calls()).isEmpty();
    assertThat(ask("GET", "/x").status()).isEqualTo(201);
    assertThat(service.calls()).singleElement().matches(call -> call.target.equals("/api/x"));
  }

  @Test
  void a_refused_spelling_does_not_end_the_connection() throws Exception {
    startRequiring();
    RawClient client = raw();
    client.send("GET /../x HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(400);
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(201);
  }

  @Test
  void the_same_key_in_another_spelling_does_not_run_twice() throws Exception {
    startRequiring();
    assertThat(ask("POST", "/payments/a~b", "Idempotency-Key: k-1").status()).isEqualTo(201);
    assertThat(ask("POST", "/payments/a%7Eb", "Idempotency-Key: k-1").field("Idempotent-Replayed"))
        .isEqualTo("true");
    for (String target :
        List.of("/payments//a~b", "/payments/a~b/", "/payments/a~b;v=1", "/payments/A~b")) {
      assertThat(ask("POST", target, "Idempotency-Key: k-1").status()).as(target).isEqualTo(422);
    }
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void a_route_of_a_service_that_ignores_case_is_found_in_any_case() throws Exception {
    start(
        setup -> {
          setup.policy("ignore-case", "true");
          setup.route("POST /payments/*/v*x", "required", "true");
          setup.base = setup.base.with(p -> p.ignoreCase(false));
          setup.route("POST /orders", "required", "true");
        });
    assertRefused(ask("POST", "/PAYMENTS/7/V1X"));
    assertRefused(ask("POST", "/Payments/7/v1x"));
    assertThat(ask("POST", "/Orders").status()).isEqualTo(201);
  }

  // A method that a header names.

  @ParameterizedTest
  @ValueSource(strings = {"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"})
  void a_method_that_a_header_puts_in_place_of_another_goes_around_no_rule(String name)
      throws Exception {
    startRequiring();
    assertRefused(ask("GET", "/payments", name + ": POST"));
    assertRefused(ask("PUT", "/payments", name + ": post"));
    assertRefused(ask("PUT", "/payments", name + ": POST", "Idempotency-Key: k-1"));
    assertRefused(ask("POST", "/accounts/7", name + ": DELETE", "Idempotency-Key: k-1"));
    assertRefused(ask("PUT", "/payments", name + ": GET, POST"));
    assertRefused(ask("PUT", "/payments", name + ": POST;x"));
    assertRefused(ask("PUT", "/payments", name + ": A, B, C, D"));
  }

  /** 12 KB once took 0.7 s, with 20 routes. */
  @Test
  void a_long_path_is_not_judged_in_all_its_readings() throws Exception {
    startRequiring();
    assertRefused(ask("PUT", "/a;b%2Fc%3Fd%25" + "/x".repeat(3_000)));
    assertThat(ask("PUT", "/a" + "/x".repeat(3_000)).status()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X_HTTP_Method_Override",
        "x.http-method_override",
        "X_HTTP_Method",
        "X-Method_Override"
      })
  void nor_does_it_in_a_spelling_that_a_service_like_cgi_takes_for_the_same(String name)
      throws Exception {
    startRequiring();
    assertThat(ask("GET", "/payments", name + ": POST").status()).isEqualTo(201);
    assertThat(service.only("/payments").fields(name)).isEmpty();
  }

  @Test
  void nor_does_it_by_leaving_after_it_was_judged() throws Exception {
    startRequiring();
    String name = "X-HTTP-Method-Override";
    assertRefused(ask("POST", "/other", name + ": PUT", "Connection: " + name));
  }

  @Test
  void the_same_key_with_another_method_in_a_header_is_another_request() throws Exception {
    startRequiring();
    String key = "Idempotency-Key: k-1";
    assertThat(ask("POST", "/orders/7", key).status()).isEqualTo(201);
    assertThat(ask("POST", "/orders/7", key, "X-HTTP-Method-Override: PUT").status())
        .isEqualTo(422);
    assertThat(ask("POST", "/orders/7", key).field("Idempotent-Replayed")).isEqualTo("true");
    assertThat(ask("POST", "/orders/8", "X-HTTP-Method-Override: PUT").status()).isEqualTo(201);
  }
}
