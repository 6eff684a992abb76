package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are odd, and that RFC 9112 lets a recipient take: they are delivered and kept. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AnswerShapesTest extends GatewayFixture {

  private static final String OK =
      "HTTP/1.1 201 Created\r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello";
  private static final String CHUNKED =
      "HTTP/1.1 201 Created\r\nX-Kept: 1\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** Each means: 201, {@code X-Kept: 1}, and "hello". */
  enum Shape {
    PLAIN(OK),
    CONTINUE_UNASKED("HTTP/1.1 100 Continue\r\n\r\n" + OK),
    PROCESSING("HTTP/1.1 102 Processing\r\n\r\n" + OK),
    EARLY_HINTS("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" + OK),
    UNKNOWN_INTERIM("HTTP/1.1 199 Soon\r\nContent-Length: 7\r\n\r\n" + OK),
    MANY_INTERIM(
        "HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: <a>\r\n\r\nHTTP/1.1 100 C\r\n\r\n".repeat(50)
            + OK),
    NO_REASON("HTTP/1.1 201 \r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello"),
    BARE_LF("HTTP/1.1 201 Created\nX-Kept: 1\nContent-Length: 5\n\nhello"),
    SOME_BARE_LF("HTTP/1.1 201 Created\r\nX-Kept: 1\nContent-Length: 5\r\n\nhello"),
    SPACE_BEFORE_COLON("HTTP/1.1 201 Created\r\nX-Kept : 1\r\nContent-Length\t: 5\r\n\r\nhello"),
    FOLDED("HTTP/1.1 201 Created\r\nX-Kept:\r\n 1\r\nContent-Length: 5\r\n\r\nhello"),
    NAME_THAT_IS_NO_TOKEN(
        "HTTP/1.1 201 Created\r\nX-Foo[bar]: 1\r\n(x): 2\r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello"),
    NAME_THAT_IS_NOT_ASCII(
        "HTTP/1.1 201 Created\r\nX-Gr\u00f6\u00dfe: 1\r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello"),
    VALUE_WITH_A_CONTROL_CHARACTER(
        "HTTP/1.1 201 Created\r\nX-Bell: a\u0007b\r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello"),
    SAME_LENGTH_TWICE(
        "HTTP/1.1 201 Created\r\nX-Kept: 1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    HEAD_OF_40_KB(
        "HTTP/1.1 201 Created\r\nX-Kept: 1\r\nX-Large: "
            + "x".repeat(40_000)
            + "\r\nContent-Length: 5\r\n\r\nhello"),
    HEAD_OF_MANY_FIELDS(
        "HTTP/1.1 201 Created\r\nX-Kept: 1\r\n"
            + "X-Many: 123456789012345678901234567890\r\n".repeat(1_000)
            + "Content-Length: 5\r\n\r\nhello"),
    CHUNKS(CHUNKED + "5\r\nhello\r\n0\r\n\r\n"),
    CHUNK_EXTENSIONS(
        CHUNKED
            + "2;a\r\nhe\r\n01;a=b;c=\"d;\\\"\u00e9\"\r\nl\r\n2 ; a = b\r\nlo\r\n0;last=yes\r\n\r\n"),
    CHUNK_EXTENSION_THAT_IS_NONE(CHUNKED + "5;=;;\"\r\nhello\r\n000;\r\n\r\n"),
    TRAILERS(CHUNKED + "5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Foo[bar]: 2\nSet-Cookie: a=b\r\n\r\n"),
    CHUNKS_BESIDE_A_LENGTH(
        "HTTP/1.1 201 Created\r\nX-Kept: 1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked"
            + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n");

    final String bytes;

    Shape(String bytes) {
      this.bytes = bytes;
    }
  }

  private void assertTaken(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    assertThat(response.headers().firstValue("X-Kept")).contains("1");
    assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(response.body()).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource
  void an_odd_answer_is_delivered_and_recorded(Shape shape) throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.send(shape.bytes);
        });
    start();
    HttpResponse<String> first = pay("/p", "k-1");
    assertTaken(first);
    HttpResponse<String> second = pay("/p", "k-1");
    assertReplayed(second, 201);
    assertTaken(second);
    assertThat(service.calls("/p")).hasSize(1);
    assertTaken(send(get("/p")));
    assertTaken(send(post("/p", null, "x".repeat(100_000))));
  }

  @ParameterizedTest
  @EnumSource(names = {"EARLY_HINTS", "BARE_LF", "CHUNK_EXTENSIONS", "TRAILERS", "CHUNKS"})
  void an_odd_answer_is_taken_also_byte_by_byte(Shape shape) throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          for (int i = 0; i < shape.bytes.length(); i++) {
            call.send(shape.bytes.substring(i, i + 1));
          }
        });
    start();
    assertTaken(pay("/p", "k-1"));
    assertReplayed(pay("/p", "k-1"), 201);
    assertTaken(send(get("/p")));
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void a_body_where_there_must_be_none_is_dropped(Protocol protocol) {
    service.on(
        "/odd",
        call -> {
          call.body();
          call.send("HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello");
        });
    start();
    for (int i = 0; i < 2; i++) {
      Protocol.Answer answer = protocol.pay(gateway.port(), "/odd", "k-1");
      assertThat(answer.status()).isEqualTo(205);
      assertThat(answer.body()).isEmpty();
    }
    assertThat(service.calls("/odd")).hasSize(1);
  }

  @Test
  void a_head_over_what_is_recorded_is_delivered_and_its_operation_does_not_run_again()
      throws Exception {
    String large = "x".repeat(120_000);
    service.on("/p", call -> call.answer(201, call.text(), "X-Large: " + large));
    start();
    HttpResponse<String> first = pay("/p", "k-1");
    assertFirst(first, 201);
    assertThat(first.headers().firstValue("X-Large")).contains(large);
    assertReplayed(pay("/p", "k-1"), 201);
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void interim_answers_before_the_answer_to_head_do_not_make_it_wait_for_a_body() throws Exception {
    service.on(
        "/p",
        call -> {
          call.head(103, "Link: <a>");
          call.head(102);
          call.head(200, "Content-Length: 5");
        });
    start();
    RawClient client = raw();
    for (int i = 0; i < 3; i++) {
      RawClient.Answer answer = client.send("HEAD /p HTTP/1.1\r\nHost: h\r\n\r\n").readHead();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Content-Length")).isEqualTo("5");
    }
    assertThat(client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n").read().body()).isEqualTo("1 /x ");
  }

  @Test
  void interim_answers_do_not_stop_the_time_for_the_final_one() throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          while (true) {
            call.send("HTTP/1.1 102 Processing\r\n\r\n");
            Thread.sleep(20); // until the gateway has had enough, and closes
          }
        });
    start(setup -> setup.responseTimeout = Duration.ofMillis(500));
    assertProblem(pay("/p", "k-1"), 504, "upstream-timeout");
    assertThat(send(get("/p")).statusCode()).isEqualTo(504);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000", "2000000000", "099", "0"})
  void a_status_that_is_none_is_refused(String status) throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.send("HTTP/1.1 " + status + " Odd\r\nContent-Length: 0\r\n\r\n");
        });
    start();
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
  }

  @Test
  void an_answer_of_too_many_fields_is_refused() throws Exception {
    service.on("/p", call -> call.answer(201, call.text(), "X-A: 1\r\n".repeat(3_000) + "X-B: 1"));
    start();
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
  }

  @Test
  void a_client_that_waits_for_100_gets_one_and_an_upload_goes_on() throws Exception {
    service.on(
        "/p",
        call -> {
          call.send("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
          call.answer(200, call.text());
        });
    start();
    RawClient client = raw();
    client.send("PUT /p HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(100);
    client.send("hello");
    assertThat(client.read().body()).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void trailers_are_dropped(Protocol protocol) {
    service.on(
        "/p",
        call -> {
          call.body();
          call.send(
              CHUNKED
                  + "5\r\nhello\r\n0\r\nX-Sum: 1\r\nSet-Cookie: evil=1\r\nContent-Length: 1\r\n\r\n");
        });
    start();
    for (Protocol.Answer answer :
        List.of(
            protocol.send(gateway.port(), "GET", "/p", null, "TE: trailers"),
            protocol.pay(gateway.port(), "/p", "k-1"),
            protocol.pay(gateway.port(), "/p", "k-1"))) {
      assertThat(answer.body()).isEqualTo("hello");
      assertThat(answer.fields("X-Sum")).isEmpty();
      assertThat(answer.fields("Set-Cookie")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X: a\rSet-Cookie: evil=1",
        "X: a\u0000b",
        "X\u0000: a",
        "X\r: a",
        "no-colon",
        ": no name",
        "Content-Length: 7",
        "Content-Length: -5",
        "Content-Length: 0x5",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, identity"
      })
  void what_could_split_or_cut_an_answer_is_refused(String line) throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.answer(201, "hello", line);
        });
    start();
    HttpResponse<String> response = pay("/p", "k-1");
    assertProblem(response, 502, "upstream-failed");
    assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(send(get("/p")).statusCode()).isEqualTo(502);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5\nhello\r\n0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello!\r\n0\r\n\r\n",
        "5 5\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n",
        ";a\r\nhello\r\n0\r\n\r\n",
        "5\rx\nhello\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n"
      })
  void chunks_that_are_none_are_refused(String chunks) throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.send(CHUNKED + chunks);
        });
    start();
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void the_same_gateway_takes_odd_answers_one_after_the_other() throws Exception {
    for (Shape shape : Shape.values()) {
      service.on(
          "/" + shape,
          call -> {
            call.body();
            call.send(shape.bytes);
          });
    }
    start();
    for (int round = 0; round < 3; round++) {
      for (Shape shape : Shape.values()) {
        assertTaken(pay("/" + shape, "k-" + round + "-" + shape));
      }
    }
  }
}
