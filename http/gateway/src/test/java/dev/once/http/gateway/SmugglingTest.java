package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that two servers could read as two things are refused, and nothing after them is read.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SmugglingTest extends GatewayFixture {

  private static final String NEXT = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String OK = "GET /ok HTTP/1.1\r\nHost: h\r\n\r\n";

  /** How a client comes to the gateway. */
  enum Way {
    PLAIN,
    TLS,
    TLS_WITH_ALPN
  }

  static List<String> shapes() {
    String post = "POST /p HTTP/1.1\r\nHost: h\r\n";
    String key = "Idempotency-Key: k\r\n";
    return List.of(
        post + key + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        post + key + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: gzip\r\n\r\n",
        post + "Transfer-Encoding: identity\r\n\r\n",
        post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n",
        post + key + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        post + "Content-Length: 5, 6\r\n\r\nhello",
        post + "Content-Length: +5\r\n\r\nhello",
        post + "Content-Length: -1\r\n\r\n",
        post + "Content-Length: 0x5\r\n\r\nhello",
        post + "Content-Length: 5 5\r\n\r\nhello",
        post + "Content-Length : 5\r\n\r\nhello",
        post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        post + "Content-Length\u0000: 5\r\n\r\nhello",
        post + "X: a\u0000b\r\nContent-Length: 0\r\n\r\n",
        post + "X: a\rb\r\nContent-Length: 0\r\n\r\n",
        post + ": empty\r\nContent-Length: 0\r\n\r\n",
        post + "no colon\r\nContent-Length: 0\r\n\r\n",
        post + "Host: other\r\nContent-Length: 0\r\n\r\n",
        "POST /p HTTP/1.0\r\nHost: h\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST /p HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /p HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST http://other/p HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST /p HTTP/1.1 x\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST /p q HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST p HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "P(ST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "PRI /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
            + "\r\n\r\n0\r\n\r\n",
        "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n");
  }

  private RawClient client(Way way) throws Exception {
    return closing(
        switch (way) {
          case PLAIN -> new RawClient(gateway.port());
          case TLS -> RawClient.tls(gateway.port());
          case TLS_WITH_ALPN -> RawClient.tls(gateway.port(), "http/1.1");
        });
  }

  @ParameterizedTest
  @EnumSource
  void shapes_of_smuggling_are_refused_on_the_first_and_on_a_later_request_of_a_connection(Way way)
      throws Exception {
    var tls = way == Way.PLAIN ? null : Certificates.of("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    for (String shape : way == Way.PLAIN ? shapes() : shapes().subList(0, 5)) {
      for (boolean later : new boolean[] {false, true}) {
        String as = way + (later ? ", later: " : ", first: ") + shape;
        RawClient client = client(way);
        if (later) {
          client.send(OK);
          assertThat(client.read().status()).isEqualTo(201);
        }
        int before = service.calls().size();
        client.send(shape + NEXT);
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).as(as).isEqualTo(400);
        assertThat(answer.field("Content-Type")).as(as).isEqualTo("application/problem+json");
        assertThat(client.awaitClose()).as(as).isZero();
        assertThat(service.calls()).as(as).hasSize(before);
      }
    }
  }

  @Test
  void a_shape_of_smuggling_is_refused_also_in_one_packet_with_the_request_before()
      throws Exception {
    start();
    for (String shape : shapes()) {
      RawClient client = raw();
      client.send(OK + shape + NEXT);
      assertThat(client.read().status()).as(shape).isEqualTo(201);
      assertThat(client.read().status()).as(shape).isEqualTo(400);
      assertThat(client.awaitClose()).as(shape).isZero();
    }
    assertThat(service.calls("/p")).isEmpty();
    assertThat(service.calls("/smuggled")).isEmpty();
  }

  @Test
  void a_shape_of_smuggling_is_refused_also_byte_by_byte() throws Exception {
    start();
    for (String shape : shapes().subList(0, 4)) {
      RawClient client = raw();
      // The head alone: it is refused there, and what is sent after that may find nobody.
      for (int i = 0; i < shape.indexOf("\r\n\r\n") + 4; i++) {
        client.send(shape.substring(i, i + 1));
      }
      assertThat(client.read().status()).as(shape).isEqualTo(400);
    }
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0"})
  void another_version_is_refused(String version) throws Exception {
    start();
    RawClient client = raw();
    client.send("POST /p " + version + "\r\nHost: h\r\nContent-Length: 0\r\n\r\n" + NEXT);
    assertThat(client.line()).containsAnyOf(" 400 ", " 501 ");
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_wish_for_http_2_does_not_hide_a_shape_of_smuggling() throws Exception {
    start();
    String upgrade =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c"
            + "\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n";
    for (String rest :
        List.of(
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "Host: other\r\n\r\n")) {
      RawClient client = raw();
      client.send("POST /p HTTP/1.1\r\nHost: h\r\n" + upgrade + rest + NEXT);
      assertThat(client.read().status()).as(rest).isEqualTo(400);
    }
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /p HTTP/1.1\nHost: h\n\n",
        "GET /p HTTP/1.1\r\nHost: h\nX: y\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n"
      })
  void a_bare_lf_ends_no_line(String request) throws Exception {
    start();
    RawClient client = raw();
    client.send(request + NEXT);
    client.awaitClose();
    assertThat(service.calls("/smuggled")).isEmpty();
    assertThat(service.calls().stream().filter(call -> call.bodySoFar() != null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zz\r\nhello\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "5\r\nhelloX\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n"
      })
  void bad_chunks_end_the_connection_and_call_nothing(String chunks) throws Exception {
    start();
    RawClient client = raw();
    client.send(
        "POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks);
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
    assertFirst(send(post("/p", "k", "{}")), 201);
  }

  @Test
  void a_header_folded_over_two_lines_is_one_line_for_the_service() throws Exception {
    start();
    RawClient client = raw();
    client.send("GET /p HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n");
    if (client.read().status() != 400) {
      assertThat(service.only("/p").field("X")).isEqualTo("a b");
    }
  }

  @Test
  void an_empty_line_before_a_request_is_skipped() throws Exception {
    start();
    RawClient client = raw();
    client.send("\r\n" + OK + "\r\n" + OK);
    assertThat(client.read().status()).isEqualTo(201);
    assertThat(client.read().status()).isEqualTo(201);
  }

  @Test
  void noise_that_is_no_http_is_answered_and_closed() throws Exception {
    start();
    RawClient client = raw();
    client.send("\u0016\u0003\u0001 hello\r\n\r\n");
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }
}
