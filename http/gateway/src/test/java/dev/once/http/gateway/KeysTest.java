package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KeysTest extends GatewayFixture {

  private RawClient.Answer keyed(String... keyLines) throws Exception {
    StringBuilder request = new StringBuilder("POST /payments HTTP/1.1\r\nHost: h\r\n");
    for (String line : keyLines) {
      request.append("Idempotency-Key: ").append(line).append("\r\n");
    }
    return raw().send(request + "Content-Length: 2\r\n\r\n{}").read();
  }

  private void assertMalformed(RawClient.Answer answer, String error) {
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.field("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.body())
        .contains("about:blank#key-malformed")
        .contains(error)
        .contains("1 to 255 characters")
        .contains("\"retention\":\"PT24H\"");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_key_in_quotes_and_the_same_key_bare_name_one_operation() throws Exception {
    start();
    assertFirst(pay("/payments", "\"k-1\""), 201);
    assertReplayed(pay("/payments", "k-1"), 201);
    assertThat(service.calls("/payments")).hasSize(1);
  }

  @Test
  void without_a_key_a_request_passes_each_time_where_none_is_required() throws Exception {
    start();
    assertThat(send(payment("/payments", null)).body()).startsWith("1 ");
    assertThat(send(payment("/payments", null)).body()).startsWith("2 ");
  }

  @Test
  void a_missing_key_is_refused_where_one_is_required() throws Exception {
    start(setup -> setup.policy("required", "true"));
    HttpResponse<String> response = send(payment("/payments", null));
    assertProblem(response, 400, "key-missing");
    assertThat(response.body()).contains("Idempotency-Key").contains("\"retention\":\"PT24H\"");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "\"\""})
  void an_empty_key_is_refused(String key) throws Exception {
    start();
    assertMalformed(keyed(key), "it is empty");
  }

  @Test
  void a_key_that_is_too_long_is_refused_and_not_echoed() throws Exception {
    start();
    String key = "secret".repeat(50);
    RawClient.Answer answer = keyed(key);
    assertMalformed(answer, "it has 300 characters");
    assertThat(answer.body()).doesNotContain("secretsecret");
  }

  @Test
  void the_longest_key_is_taken() throws Exception {
    start();
    assertThat(keyed("k".repeat(255)).status()).isEqualTo(201);
  }

  @Test
  void a_repeated_key_is_refused_even_if_both_are_the_same() throws Exception {
    start();
    assertMalformed(keyed("same-key", "same-key"), "the header is there 2 times");
  }

  @ParameterizedTest
  @ValueSource(strings = {"caf\u00e9", "a\tb", "a\u0080b", "two words", "\"two\twords\""})
  void a_key_with_other_than_visible_ascii_is_refused_and_not_echoed(String key) throws Exception {
    start();
    RawClient.Answer answer = keyed(key);
    assertMalformed(answer, "not visible ASCII");
    assertThat(answer.body()).doesNotContain(key.replace("\"", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret\u0001", "secret\u0000", "secret\u007f", "secret\rsecret"})
  void a_key_that_no_header_can_hold_is_refused_and_not_echoed(String key) throws Exception {
    start();
    RawClient.Answer answer = keyed(key);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).doesNotContain("secret");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"open", "open\"", "in\"side", "\"a\"b", "\"a\\b\""})
  void a_key_with_unbalanced_quotes_is_refused(String key) throws Exception {
    start();
    assertMalformed(keyed(key), "The header Idempotency-Key is wrong");
  }

  @Test
  void a_refused_key_does_not_end_the_connection() throws Exception {
    start();
    RawClient client = raw();
    client.send(
        "POST /payments HTTP/1.1\r\nHost: h\r\nIdempotency-Key: \r\nContent-Length: 2\r\n\r\n{}");
    assertThat(client.read().status()).isEqualTo(400);
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).startsWith("1 /next");
  }

  @Test
  void the_type_of_a_problem_names_a_place_on_the_policy_page() throws Exception {
    start();
    RawClient.Answer refusal = keyed("");
    String place = refusal.body().replaceAll(".*\"type\":\"[^\"]+#([^\"]+)\".*", "$1");
    HttpResponse<String> page = send(HttpRequest.newBuilder(admin("/docs/idempotency")));
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("id=\"" + place + "\"").contains("24h");
  }

  @Test
  void requests_without_a_body_are_not_in_scope_where_the_policy_says_so() throws Exception {
    start(setup -> setup.policy("bodiless", "false"));
    assertThat(send(post("/payments", "key-12345", "")).body()).startsWith("1 ");
    assertThat(send(post("/payments", "key-12345", "")).body()).startsWith("2 ");
  }

  @Test
  void requests_without_a_body_are_not_in_scope_over_http_2_either() {
    start(setup -> setup.policy("bodiless", "false"));
    for (int i = 1; i <= 2; i++) {
      assertThat(
              Protocol.H2C
                  .send(gateway.port(), "POST", "/payments", null, "Idempotency-Key: key-12345")
                  .body())
          .startsWith(i + " ");
    }
    assertThat(Protocol.H2C.pay(gateway.port(), "/payments", "key-12345").body()).startsWith("3 ");
    assertThat(Protocol.H2C.pay(gateway.port(), "/payments", "key-12345").body()).startsWith("3 ");
  }

  @Test
  void a_route_is_found_however_its_path_is_spelled() throws Exception {
    start(setup -> setup.route("POST /payments/**", "required", "true"));
    for (String path :
        new String[] {
          "/payments",
          "/payments/1",
          "//payments",
          "/./payments",
          "/x/../payments",
          "/%70ayments",
          "/payments;v=1/2",
          "/payments/?a=1"
        }) {
      RawClient.Answer answer =
          raw().send("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").read();
      assertThat(answer.status()).as(path).isEqualTo(400);
    }
    assertThat(send(payment("/other", null)).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/payments#x", "/payments\\1", "/pay\u0001ments"})
  void a_target_that_servers_read_in_different_ways_is_refused(String target) throws Exception {
    start(setup -> setup.route("POST /payments/**", "required", "true"));
    RawClient.Answer answer =
        raw().send("POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").read();
    assertThat(answer.status()).isEqualTo(400);
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void the_key_reaches_the_service_as_it_was_sent() throws Exception {
    start();
    pay("/payments", "\"k-1\"");
    assertThat(service.only("/payments").fields("Idempotency-Key")).containsExactly("\"k-1\"");
  }
}
