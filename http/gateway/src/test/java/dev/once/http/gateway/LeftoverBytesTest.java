package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that a service sends beyond its answer never become another caller's answer, and are never
 * recorded. One client connection is used for all callers of a test: then all of them are served by
 * one event loop, and share its pool.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LeftoverBytesTest extends GatewayFixture {

  /** It would swallow the next answer's head, and be swallowed itself by the next caller. */
  private static final String HALF = "HTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\nX-Rest: ";

  private static final String WHOLE =
      "HTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\nContent-Length: 4\r\n\r\nevil";

  /** Answers after which nothing may follow. */
  enum Answer {
    HEAD("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"),
    HEAD_WITHOUT_LENGTH("HEAD", "HTTP/1.1 200 OK\r\n\r\n"),
    HEAD_IN_CHUNKS("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    NO_CONTENT("DELETE", "HTTP/1.1 204 No Content\r\n\r\n"),
    NO_CONTENT_OF_SOME_LENGTH("DELETE", "HTTP/1.1 204 No Content\r\nContent-Length: %d\r\n\r\n"),
    NOT_MODIFIED("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: %d\r\n\r\n"),
    LENGTH("GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    NO_LENGTH("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    CHUNKS("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");

    final String method;
    private final String text;

    Answer(String method, String text) {
      this.method = method;
      this.text = text;
    }

    String before(String leftover) {
      return text.formatted(leftover.length());
    }

    String request() {
      return method + " /evil HTTP/1.1\r\nHost: h\r\n\r\n";
    }

    void read(RawClient client) throws Exception {
      if (method.equals("HEAD")) {
        client.readHead();
      } else {
        client.read();
      }
    }
  }

  private static String keyed(String path, String key) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: h\r\nIdempotency-Key: "
        + key
        + "\r\nContent-Length: 2\r\n\r\n{}";
  }

  /** Two victims: one is passed through, one is recorded, and all get what is theirs. */
  private void assertHonestAnswers(RawClient client) throws Exception {
    int before = service.calls("/victim").size();
    client.send("GET /victim HTTP/1.1\r\nHost: h\r\n\r\n");
    assertHonest(client.read(), before + 1);
    client.send(keyed("/victim", "k-" + before));
    assertHonest(client.read(), before + 2);
    client.send(keyed("/victim", "k-" + before));
    RawClient.Answer replay = client.read();
    assertThat(replay.field("Idempotent-Replayed")).isEqualTo("true");
    assertHonest(replay, before + 2);
  }

  private static void assertHonest(RawClient.Answer answer, int number) {
    assertThat(answer.fields("Set-Cookie")).isEmpty();
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    assertThat(answer.field("X-Count")).isEqualTo(String.valueOf(number));
    assertThat(answer.body()).startsWith(number + " /victim ");
  }

  @ParameterizedTest
  @EnumSource
  void bytes_in_one_packet_with_an_answer_reach_nobody(Answer answer) throws Exception {
    start();
    RawClient client = raw();
    for (String leftover : new String[] {HALF, WHOLE, "\r\n" + HALF, "x"}) {
      service.on("/evil", call -> call.send(answer.before(leftover) + leftover));
      client.send(answer.request());
      answer.read(client);
      assertHonestAnswers(client);
    }
  }

  @ParameterizedTest
  @EnumSource
  void bytes_that_follow_an_answer_later_reach_nobody(Answer answer) throws Exception {
    start();
    RawClient client = raw();
    for (String leftover : new String[] {HALF, WHOLE}) {
      Gate answered = new Gate();
      Gate sent = new Gate(); // and seen by the gateway, which closes
      service.on(
          "/evil",
          call -> {
            call.send(answer.before(leftover));
            answered.pass();
            try {
              call.send(leftover);
              call.awaitClose();
            } finally {
              sent.open();
            }
          });
      client.send(answer.request());
      answer.read(client);
      answered.open();
      sent.pass();
      assertHonestAnswers(client);
    }
  }

  @Test
  void bytes_beyond_a_recorded_answer_are_not_recorded() throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok" + HALF);
        });
    start();
    RawClient client = raw();
    for (int i = 0; i < 2; i++) {
      RawClient.Answer answer = client.send(keyed("/p", "k-1")).read();
      assertThat(answer.status()).isEqualTo(201);
      assertThat(answer.body()).isEqualTo("ok");
      assertThat(answer.fields("Set-Cookie")).isEmpty();
    }
    assertHonestAnswers(client);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "\r\n", HALF, WHOLE})
  void a_byte_on_an_unused_connection_closes_it(String leftover) throws Exception {
    Gate gone = new Gate();
    service.on(
        "/p",
        call -> {
          call.answer(200, "ok");
          call.send(leftover);
          call.awaitClose();
          gone.pass();
        });
    start(setup -> setup.idleTimeout = Duration.ofMinutes(10));
    assertThat(send(get("/p")).body()).isEqualTo("ok");
    gone.awaitReached();
    gone.open();
  }

  @Test
  void a_connection_whose_answer_announced_a_body_that_may_not_be_is_not_used_again()
      throws Exception {
    for (Answer answer :
        new Answer[] {
          Answer.HEAD, Answer.HEAD_IN_CHUNKS, Answer.NO_CONTENT_OF_SOME_LENGTH, Answer.NOT_MODIFIED
        }) {
      Gate gone = new Gate();
      service.on(
          "/evil",
          call -> {
            call.send(answer.before(WHOLE));
            call.awaitClose();
            gone.pass();
          });
      start(setup -> setup.idleTimeout = Duration.ofMinutes(10));
      RawClient client = raw();
      client.send(answer.request());
      answer.read(client);
      gone.awaitReached();
      gone.open();
    }
  }

  @Test
  void connections_of_honest_answers_are_used_again() throws Exception {
    service.on("/head", call -> call.head(200));
    service.on("/gone", call -> call.answer(204, ""));
    service.on("/same", call -> call.answer(304, ""));
    start(setup -> setup.idleTimeout = Duration.ofMinutes(10));
    RawClient client = raw();
    for (int i = 0; i < 20; i++) {
      client.send("HEAD /head HTTP/1.1\r\nHost: h\r\n\r\n").readHead();
      client.send("GET /gone HTTP/1.1\r\nHost: h\r\n\r\n").read();
      client.send("GET /same HTTP/1.1\r\nHost: h\r\n\r\n").read();
      client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n").read();
      client.send(keyed("/y", "k-" + i)).read();
    }
    assertThat(service.connections()).isEqualTo(1);
  }

  /** What comes a little later could not be told from the answer to the next request. */
  @Test
  void after_bytes_beyond_an_answer_no_connection_is_used_twice() throws Exception {
    Set<Integer> connections = ConcurrentHashMap.newKeySet();
    service.on("/evil", call -> call.send(Answer.LENGTH.before(WHOLE) + WHOLE));
    service.on(
        "/x",
        call -> {
          connections.add(call.port());
          call.answer(200, "x");
        });
    start(setup -> setup.idleTimeout = Duration.ofMinutes(10));
    RawClient client = raw();
    client.send("GET /evil HTTP/1.1\r\nHost: h\r\n\r\n").read();
    for (int i = 0; i < 3; i++) {
      client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n").read();
    }
    assertThat(connections).hasSize(3);
  }

  /** HTTP/2, because its streams share one event loop, and so its one connection upstream. */
  @ParameterizedTest
  @ValueSource(strings = {HALF, WHOLE})
  void a_request_that_waits_for_the_connection_does_not_get_what_was_left_on_it(String leftover)
      throws Exception {
    Gate gate = new Gate();
    service.on(
        "/evil",
        call -> {
          gate.pass();
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + leftover);
        });
    start(setup -> setup.connections = 1);
    HttpClientAgent client = Protocol.H2C.client();
    closing(() -> client.close().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    HttpClientRequest evil = request(client, "/evil");
    Future<Buffer> first = evil.send().compose(HttpClientResponse::body);
    gate.awaitReached();
    Future<HttpClientResponse> waiting = request(client, "/victim").send();
    Future<Buffer> second = waiting.compose(HttpClientResponse::body);
    // The gateway answers this itself, after it took up the one above, which waits by then.
    HttpClientRequest own = request(client, "/");
    own.setMethod(HttpMethod.OPTIONS).putHeader("Max-Forwards", "0");
    assertThat(await(own.send()).statusCode()).isEqualTo(204);
    gate.open();
    assertThat(await(first).toString()).isEqualTo("ok");
    assertThat(await(second).toString()).isEqualTo("1 /victim ");
    assertThat(await(waiting).headers().getAll("Set-Cookie")).isEmpty();
  }

  private HttpClientRequest request(HttpClientAgent client, String path) throws Exception {
    return await(client.request(HttpMethod.GET, gateway.port(), "localhost", path));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Its head goes out with the first chunk, so that bytes can come before on the connection that it
   * has. Another connection is honest.
   */
  @Test
  void an_upload_does_not_get_what_came_before_it_was_sent() throws Exception {
    Gate spoken = new Gate();
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread speaker = new Thread(() -> speakFirst(listener, spoken));
      speaker.setDaemon(true);
      speaker.start();
      start(setup -> setup.upstream = URI.create("http://127.0.0.1:" + listener.getLocalPort()));
      RawClient client = raw();
      client.send("PUT /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
      spoken.pass();
      client.send("5\r\nhello\r\n0\r\n\r\n");
      RawClient.Answer answer = client.read();
      assertThat(answer.fields("Set-Cookie")).isEmpty();
      assertThat(answer.status()).as(answer.body()).isIn(204, 502);
    }
  }

  private static void speakFirst(ServerSocket listener, Gate spoken) {
    try (Socket first = listener.accept()) {
      first.getOutputStream().write(HALF.getBytes(StandardCharsets.ISO_8859_1));
      spoken.open();
      answerOne(first);
      try (Socket second = listener.accept()) {
        answerOne(second);
      }
    } catch (IOException closed) {
      // The end of the test.
    }
  }

  private static void answerOne(Socket socket) throws IOException {
    if (socket.getInputStream().read() >= 0) {
      socket
          .getOutputStream()
          .write("HTTP/1.1 204 Fine\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      while (socket.getInputStream().read() >= 0) {
        // Until the gateway has had enough of it.
      }
    }
  }
}
