package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 can carry what HTTP/1.1 towards the service would turn into something else. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class Http2SmugglingTest extends GatewayFixture {

  private static final String SPLIT =
      "x\r\nX-Evil: 1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";

  private String outcome(String body, String... fields) throws Exception {
    return closing(new RawHttp2(gateway.port())).request(1, body, fields).outcome();
  }

  /** A good request, in which some fields are replaced or added. */
  private static String[] with(String... changes) {
    List<String> fields =
        new ArrayList<>(
            List.of(":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/p"));
    for (int i = 0; i < changes.length; i += 2) {
      int at = fields.indexOf(changes[i]);
      if (at >= 0 && changes[i].startsWith(":")) {
        fields.set(at + 1, changes[i + 1]);
      } else {
        fields.addAll(Arrays.asList(changes[i], changes[i + 1]));
      }
    }
    return fields.toArray(String[]::new);
  }

  @Test
  void a_request_without_tricks_passes() throws Exception {
    service.on("/p", call -> call.answer(200, call.text()));
    start();
    assertThat(outcome("{}", with("idempotency-key", "k"))).isEqualTo("200");
    assertThat(outcome("{}", with("content-length", "2"))).isEqualTo("200");
    assertThat(service.calls("/p")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x-a", "idempotency-key", "cookie", "host", ":path", ":method", ":authority"})
  void a_line_break_in_a_value_never_reaches_the_service(String name) throws Exception {
    start();
    String value = name.equals(":path") ? "/" + SPLIT : SPLIT;
    assertThat(outcome("{}", with(name, value))).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\rb", "a\u0000b"})
  void a_cr_lf_or_nul_in_a_value_is_refused(String value) throws Exception {
    start();
    assertThat(outcome("{}", with("x-a", value))).isIn("400", "reset", "closed");
    assertThat(outcome("{}", with("x-a", value, "idempotency-key", "k")))
        .isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x a", "x:a", "x\r\ny", "X-Upper", "", "x\u0000"})
  void a_bad_name_is_refused(String name) throws Exception {
    start();
    assertThat(outcome("{}", with(name, "1"))).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3", "-1", "abc", "99999999999999999999"})
  void a_length_that_is_not_the_bodys_is_refused(String length) throws Exception {
    start();
    assertThat(outcome("{}", with("content-length", length))).isIn("400", "reset", "closed");
    assertThat(outcome("{}", with("content-length", length, "idempotency-key", "k")))
        .isIn("400", "reset", "closed");
    assertThat(service.calls().stream().filter(call -> call.bodySoFar() != null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "transfer-encoding, chunked",
    "connection, close",
    "upgrade, websocket",
    "keep-alive, timeout=5"
  })
  void fields_of_http_1_connections_are_refused_or_stay_here(String name, String value)
      throws Exception {
    service.on("/p", call -> call.answer(200, call.text()));
    start();
    String outcome = outcome("{}", with(name, value));
    if (outcome.equals("200")) {
      assertThat(service.only("/p").fields(name)).isEmpty();
      assertThat(service.only("/p").text()).isEqualTo("{}");
    } else {
      assertThat(outcome).isIn("400", "reset", "closed");
    }
  }

  @Test
  void two_hosts_are_refused() throws Exception {
    start();
    assertThat(outcome("{}", with("host", "other"))).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void of_two_host_headers_the_service_sees_one() throws Exception {
    start();
    outcome("{}", ":method", "POST", ":scheme", "http", ":path", "/p", "host", "a", "host", "b");
    assertThat(service.only("/p").fields("Host")).containsExactly("a");
    assertThat(service.only("/p").fields("X-Forwarded-Host")).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/p HTTP/1.1", "/p\tq", "p", "/p#q", "", "/p\\q", "/caf\u00e9"})
  void a_path_that_is_none_is_refused(String path) throws Exception {
    start();
    assertThat(outcome("{}", with(":path", path))).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"P ST", "P\tST", "", "P(ST", "CONNECT"})
  void a_method_that_is_none_is_refused(String method) throws Exception {
    start();
    assertThat(outcome("{}", with(":method", method))).isIn("400", "reset", "closed");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void after_a_refusal_the_gateway_serves_others() throws Exception {
    start();
    outcome("{}", with(":path", "/p HTTP/1.1"));
    outcome("{}", with(":method", "P ST"));
    outcome("{}", with("x-a", SPLIT));
    assertThat(Protocol.H2C.pay(gateway.port(), "/p", "k-1").status()).isEqualTo(201);
  }
}
