package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What RFC 9110 and 9112 ask of a server that stands in front of another. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class IntermediaryTest extends GatewayFixture {

  private static final String KEY = "Idempotency-Key: k\r\n";

  private RawClient.Answer answer(String request) throws Exception {
    return raw().send(request).read();
  }

  // TRACE and Max-Forwards.

  @ParameterizedTest
  @ValueSource(strings = {"", "Max-Forwards: 0\r\n", "Max-Forwards: 5\r\n"})
  void a_trace_is_refused_and_shows_no_credentials(String more) throws Exception {
    start();
    RawClient.Answer answer =
        answer(
            "TRACE /p HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\n"
                + "Cookie: sid=secret\r\n"
                + more
                + "\r\n");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.field("Allow")).contains("GET").doesNotContain("TRACE");
    assertThat(answer.body()).doesNotContain("secret");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_trace_over_http_2_is_refused_too() {
    start();
    assertThat(Protocol.H2C.send(gateway.port(), "TRACE", "/p", null).status()).isEqualTo(405);
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/p", "*"})
  void options_that_may_go_no_further_are_answered_here(String target) throws Exception {
    start();
    RawClient.Answer answer =
        answer("OPTIONS " + target + " HTTP/1.1\r\nHost: h\r\nMax-Forwards: 0\r\n\r\n");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.field("Allow")).contains("OPTIONS");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "10, 9", "007, 6", "99999999999999999999, 999999999"})
  void options_that_may_go_further_go_one_step_less(String sent, String passed) throws Exception {
    start();
    answer("OPTIONS /p HTTP/1.1\r\nHost: h\r\nMax-Forwards: " + sent + "\r\n\r\n");
    assertThat(service.only("/p").fields("Max-Forwards")).containsExactly(passed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "x", "1, 2", "", "1\r\nMax-Forwards: 0"})
  void options_with_a_count_that_is_none_are_refused(String count) throws Exception {
    start();
    assertThat(
            answer("OPTIONS /p HTTP/1.1\r\nHost: h\r\nMax-Forwards: " + count + "\r\n\r\n")
                .status())
        .isEqualTo(400);
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void for_other_methods_the_count_says_nothing() throws Exception {
    start();
    answer("GET /p HTTP/1.1\r\nHost: h\r\nMax-Forwards: 0\r\n\r\n");
    assertThat(service.only("/p").fields("Max-Forwards")).containsExactly("0");
  }

  // Host.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "a,b",
        "user@h",
        "h:x",
        "h:70000",
        "h:80:80",
        ":80",
        "h/p",
        "h?q",
        "h\\p",
        "[::1",
        "::1",
        "[::1]x",
        "[zz]",
        "h%00",
        "h#f",
        "<h>",
        "caf\u00e9"
      })
  void a_host_that_is_none_is_refused(String host) throws Exception {
    start();
    for (String key : new String[] {"", KEY}) {
      RawClient client = raw();
      client.send("POST /p HTTP/1.1\r\nHost: " + host + "\r\n" + key + "Content-Length: 0\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(400);
      client.awaitClose();
    }
    assertThat(service.calls()).isEmpty();
  }

  /** By its length: to look for more in 30,000 colons once took 24 s. */
  @Test
  void a_host_longer_than_any_is_refused() throws Exception {
    start();
    for (String host : new String[] {"a".repeat(300), "[" + ":".repeat(30_000) + "x]"}) {
      assertThat(answer("GET /p HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status()).isEqualTo(400);
    }
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"h", "h:80", "shop.example", "a_b-c.example:8080", "127.0.0.1:1", "[::1]:80"})
  void a_host_that_is_one_passes(String host) throws Exception {
    start();
    assertThat(answer("GET /p HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status()).isEqualTo(201);
    assertThat(service.only("/p").fields("Host")).containsExactly(host);
  }

  @Test
  void a_host_without_an_authority_passes_over_http_2() throws Exception {
    start();
    String[] fields = {":method", "GET", ":scheme", "http", ":path", "/p", "host", "shop:80"};
    RawHttp2 client = closing(new RawHttp2(gateway.port())).request(1, null, fields);
    assertThat(client.outcome()).isEqualTo("201");
    assertThat(service.only("/p").fields("Host")).containsExactly("shop:80");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "user@h", "h:x", "a,b"})
  void an_authority_of_http_2_that_is_none_is_refused(String authority) throws Exception {
    start();
    String[] fields = {
      ":method", "POST", ":scheme", "http", ":authority", authority, ":path", "/p"
    };
    RawHttp2 client = closing(new RawHttp2(gateway.port())).request(1, "{}", fields);
    assertThat(client.outcome()).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  // Connection.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "Authorization",
        "Cookie",
        "Content-Length",
        "Content-Type",
        "Content-Encoding",
        "Idempotency-Key",
        "X-Idempotency-Key",
        "X-Forwarded-For",
        "Forwarded",
        "Via",
        "Origin",
        "close, host"
      })
  void a_field_for_the_service_cannot_be_taken_away_by_calling_it_one_of_the_connection(String name)
      throws Exception {
    start();
    for (String key : new String[] {"", KEY}) {
      RawClient client = raw();
      client.send(
          "POST /p HTTP/1.1\r\nHost: h\r\nConnection: "
              + name
              + "\r\n"
              + key
              + "Content-Length: 2\r\n\r\n{}");
      assertThat(client.read().status()).as(key).isEqualTo(400);
      client.awaitClose();
    }
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void nor_can_the_header_of_the_key_whatever_its_name() throws Exception {
    start(setup -> setup.policy("header", "X-Key"));
    RawClient client = raw();
    client.send(
        "POST /p HTTP/1.1\r\nHost: h\r\nConnection: X-Key\r\nX-Key: k\r\n"
            + "Content-Length: 2\r\n\r\n{}");
    assertThat(client.read().status()).isEqualTo(400);
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_service_cannot_take_a_field_of_its_answer_away_from_the_replay_alone() throws Exception {
    service.on("/p", call -> call.answer(200, "x", "Connection: Location", "Location: /x"));
    start();
    for (int i = 0; i < 2; i++) {
      RawClient.Answer answer =
          answer("POST /p HTTP/1.1\r\nHost: h\r\n" + KEY + "Content-Length: 0\r\n\r\n");
      assertThat(answer.fields("Location")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Keep-Alive",
        "Proxy-Connection",
        "Proxy-Authorization",
        "Proxy-Authentication-Info",
        "TE",
        "Trailer",
        "HTTP2-Settings"
      })
  void what_is_of_the_connection_stays_here_though_connection_does_not_name_it(String name)
      throws Exception {
    start();
    answer("GET /p HTTP/1.1\r\nHost: h\r\n" + name + ": x\r\n\r\n");
    assertThat(service.only("/p").fields(name)).isEmpty();
  }

  // Limits of the head.

  @Test
  void a_request_line_that_is_too_long_is_414() throws Exception {
    start();
    RawClient client = raw();
    client.send("GET /" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(414);
    assertThat(answer.field("Content-Type")).isEqualTo("application/problem+json");
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 50})
  void a_head_that_is_too_long_is_431(int fields) throws Exception {
    start();
    RawClient client = raw();
    StringBuilder head = new StringBuilder("GET /p HTTP/1.1\r\nHost: h\r\n");
    for (int i = 0; i < fields; i++) {
      head.append("X-").append(i).append(": ").append("x".repeat(40_000 / fields)).append("\r\n");
    }
    client.send(head + "\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(431);
    assertThat(answer.field("Content-Type")).isEqualTo("application/problem+json");
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  private String overHttp2(String path, String... more) throws Exception {
    List<String> fields = new ArrayList<>(List.of(":method", "GET", ":scheme", "http"));
    fields.addAll(List.of(":authority", "h", ":path", path));
    fields.addAll(List.of(more));
    return closing(new RawHttp2(gateway.port()))
        .request(1, null, fields.toArray(String[]::new))
        .outcome();
  }

  @Test
  void over_http_2_a_target_or_head_that_is_too_long_is_told_too() throws Exception {
    start();
    assertThat(overHttp2("/" + "x".repeat(9_000))).isEqualTo("414");
    // Far longer ones end the connection.
    assertThat(overHttp2("/p", "x-long", "x".repeat(60_000))).isIn("431", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void over_http_2_a_refusal_ends_its_own_request_and_no_other() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          gate.pass();
          call.answer(200, "x");
        });
    start();
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    client.request(1, null, http2("GET", "h", "/slow"));
    gate.awaitReached();
    assertThat(client.request(3, null, http2("TRACE", "h", "/p")).outcome()).isEqualTo("405");
    assertThat(client.request(5, null, http2("GET", "a,b", "/p")).outcome()).isEqualTo("400");
    gate.open();
    assertThat(client.outcome()).isEqualTo("200");
  }

  private static String[] http2(String method, String authority, String path) {
    return new String[] {
      ":method", method, ":scheme", "http", ":authority", authority, ":path", path
    };
  }

  // Via.

  @ParameterizedTest
  @CsvSource({"HTTP/1.0, 1.0 once", "HTTP/1.1, 1.1 once"})
  void via_says_by_which_version_a_request_came(String version, String via) throws Exception {
    start();
    answer("GET /p " + version + "\r\nHost: h\r\nVia: 1.0 old, 1.1 older\r\n\r\n");
    assertThat(service.only("/p").fields("Via")).containsExactly("1.0 old, 1.1 older", via);
  }

  @Test
  void via_says_that_a_request_came_by_http_2() {
    start();
    Protocol.H2C.pay(gateway.port(), "/p", "k");
    assertThat(service.only("/p").fields("Via")).containsExactly("2 once");
  }

  @Test
  void answers_say_via_what_they_came_and_replays_too() throws Exception {
    service.on("/p", call -> call.answer(200, "x", "Via: 1.1 inner"));
    start();
    String keyed = "POST /p HTTP/1.1\r\nHost: h\r\n" + KEY + "Content-Length: 0\r\n\r\n";
    assertThat(answer("GET /p HTTP/1.1\r\nHost: h\r\n\r\n").fields("Via"))
        .containsExactly("1.1 inner", "1.1 once");
    assertThat(answer(keyed).fields("Via")).containsExactly("1.1 inner", "1.1 once");
    assertThat(answer(keyed).fields("Via")).containsExactly("1.1 once");
  }

  @Test
  void a_request_that_goes_round_in_circles_is_stopped() throws Exception {
    start();
    String twice = "Via: 1.1 once, 1.1 once\r\n";
    assertThat(answer("GET /p HTTP/1.1\r\nHost: h\r\n" + twice + "\r\n").status()).isEqualTo(201);
    String circles = "Via: 1.1 once, 1.1 other\r\n".repeat(10);
    assertThat(answer("GET /p HTTP/1.1\r\nHost: h\r\n" + circles + "\r\n").status()).isEqualTo(508);
    assertThat(service.calls("/p")).hasSize(1);
  }

  // Expect.

  @ParameterizedTest
  @ValueSource(strings = {"200-ok", "100-continue, x", "100-continue=1"})
  void an_expectation_that_nobody_knows_is_refused(String expect) throws Exception {
    start();
    for (String key : new String[] {"", KEY}) {
      RawClient client = raw();
      client.send(
          "POST /p HTTP/1.1\r\nHost: h\r\nExpect: "
              + expect
              + "\r\n"
              + key
              + "Content-Length: 2\r\n\r\n{}");
      assertThat(client.read().status()).isEqualTo(417);
    }
    assertThat(service.calls()).isEmpty();
  }
}
