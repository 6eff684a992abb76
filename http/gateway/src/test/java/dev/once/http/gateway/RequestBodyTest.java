package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a gateway does with the body of a request that has a key. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RequestBodyTest extends GatewayFixture {

  private static final String HEAD = "POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k-1\r\n";

  private void startWithLimit() {
    start(setup -> setup.policy("max-request-body", "1000"));
  }

  @Test
  void a_body_of_just_the_limit_is_taken() throws Exception {
    startWithLimit();
    assertFirst(send(post("/p", "k-1", "x".repeat(1000))), 201);
  }

  @Test
  void a_body_whose_length_is_over_the_limit_is_refused_and_nothing_is_called() throws Exception {
    startWithLimit();
    HttpResponse<String> response = send(post("/p", "k-1", "x".repeat(1001)));
    assertProblem(response, 413, "body-too-large");
    assertThat(response.body()).contains("1000 bytes");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_key_whose_body_was_too_large_is_still_free() throws Exception {
    startWithLimit();
    send(post("/p", "k-1", "x".repeat(1001)));
    assertFirst(send(post("/p", "k-1", "small")), 201);
  }

  @Test
  void a_client_that_sends_megabytes_too_many_gets_to_read_the_refusal() throws Exception {
    startWithLimit();
    HttpResponse<String> response = send(post("/p", "k-1", "x".repeat(5_000_000)));
    assertProblem(response, 413, "body-too-large");
  }

  @Test
  void a_chunked_body_over_the_limit_is_refused_as_soon_as_it_is() throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + "x".repeat(1000) + "\r\n");
    client.send("1\r\nx\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.field("Connection")).isEqualTo("close");
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void the_connection_closes_after_a_refused_body_has_ended() throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + "x".repeat(2000) + "\r\n");
    assertThat(client.read().status()).isEqualTo(413);
    client.send("0\r\n\r\n");
    client.awaitClose();
  }

  @Test
  void the_connection_closes_if_a_refused_body_never_ends() throws Exception {
    start(
        setup -> {
          setup.policy("max-request-body", "1000");
          setup.responseTimeout = Duration.ofMillis(200);
        });
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + "x".repeat(2000) + "\r\n");
    assertThat(client.read().status()).isEqualTo(413);
    client.awaitClose();
  }

  @Test
  void a_length_that_no_number_holds_is_too_large() throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Content-Length: 99999999999999999999999\r\n\r\n");
    assertThat(client.read().status()).isBetween(400, 413);
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void a_body_over_the_limit_is_refused_over_every_protocol(Protocol protocol) {
    startWithLimit();
    Protocol.Answer answer =
        protocol.send(gateway.port(), "POST", "/p", "x".repeat(300_000), "Idempotency-Key: k-1");
    assertThat(answer.status()).isEqualTo(413);
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_client_that_asks_first_is_told_that_its_body_is_too_large_instead_of_to_go_on()
      throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.field("Connection")).isEqualTo("close");
    client.awaitClose();
  }

  @Test
  void a_client_that_asks_first_is_told_to_go_on() throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(100);
    client.send("hello");
    assertThat(client.read().body()).isEqualTo("1 /p hello");
    assertThat(service.only("/p").fields("Expect")).isEmpty();
  }

  @Test
  void a_body_in_many_pieces_is_one_body() throws Exception {
    startWithLimit();
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
    for (char c = 'a'; c <= 'j'; c++) {
      client.send("1\r\n" + c + "\r\n");
    }
    client.send("0\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /p abcdefghij");
    assertThat(service.only("/p").field("Content-Length")).isEqualTo("10");
  }

  @Test
  void a_body_that_comes_too_slowly_is_refused_and_nothing_is_called() throws Exception {
    start(setup -> setup.bodyTimeout = Duration.ofSeconds(1));
    RawClient client = raw();
    client.send(HEAD + "Content-Length: 100\r\n\r\nx");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(408);
    assertThat(answer.body()).contains("#body-too-slow");
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
    assertFirst(send(post("/p", "k-1", "quick")), 201);
  }

  @Test
  void a_body_that_drips_for_ever_is_refused_as_well() throws Exception {
    start(setup -> setup.responseTimeout = Duration.ofMillis(200));
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
    Thread dripping =
        new Thread(
            () -> {
              try {
                while (true) {
                  client.send("1\r\nx\r\n");
                  Thread.sleep(10);
                }
              } catch (java.io.IOException | InterruptedException over) {
                // The connection was closed.
              }
            });
    dripping.start();
    assertThat(client.line()).contains("408");
    dripping.join();
  }

  @Test
  void a_small_body_without_a_key_that_never_ends_is_given_up_too() throws Exception {
    start(setup -> setup.responseTimeout = Duration.ofMillis(200));
    RawClient client = raw();
    client.send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nx");
    assertThat(client.read().status()).isEqualTo(408);
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void a_client_that_leaves_in_its_body_has_asked_for_nothing() throws Exception {
    start();
    try (RawClient client = new RawClient(gateway.port())) {
      client.send(HEAD + "Content-Length: 100\r\n\r\npart of it");
    }
    assertFirst(send(post("/p", "k-1", "all of it")), 201);
    assertThat(service.only("/p").text()).isEqualTo("all of it");
  }

  @Test
  void a_client_that_is_cut_off_in_its_chunks_has_asked_for_nothing() throws Exception {
    start();
    RawClient client = raw();
    client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n");
    client.reset();
    assertFirst(send(post("/p", "k-1", "all of it")), 201);
    assertThat(service.only("/p").text()).isEqualTo("all of it");
  }

  @Test
  void without_a_key_the_body_has_no_limit() throws Exception {
    startWithLimit();
    long size = 20_000_000;
    service.on("/big", call -> call.answer(200, String.valueOf(call.body().length)));
    var request =
        post("/big", null, "").POST(BodyPublishers.ofInputStream(() -> InputStreams.of(size)));
    assertThat(send(request).body()).isEqualTo(String.valueOf(size));
  }

  @Test
  void a_service_that_reads_slowly_slows_the_client_down() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow-reader",
        call -> {
          gate.pass();
          call.answer(200, String.valueOf(call.body().length));
        });
    start();
    RawClient client = RawClient.slow(gateway.port());
    closing(client);
    int size = 30_000_000;
    client.send("PUT /slow-reader HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n");
    java.util.concurrent.atomic.AtomicInteger sent =
        new java.util.concurrent.atomic.AtomicInteger();
    Thread sender =
        new Thread(
            () -> {
              byte[] piece = new byte[100_000];
              try {
                while (sent.get() < size) {
                  client.send(piece);
                  sent.addAndGet(piece.length);
                }
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    sender.start();
    gate.awaitReached();
    // What is between the two is in the buffers of sockets, and no more: it stops far from the end.
    int[] before = {-1};
    eventually(
        () -> {
          boolean stands = sent.get() == before[0] && sent.get() > 0;
          before[0] = sent.get();
          java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
          return stands;
        });
    assertThat(sent.get()).isLessThan(size * 3 / 4);
    gate.open();
    assertThat(client.read().body()).isEqualTo(String.valueOf(size));
    sender.join();
  }

  /** Bytes for a body. */
  private static final class InputStreams {
    static InputStream of(long size) {
      return new InputStream() {
        private long left = size;

        @Override
        public int read() {
          return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) {
          if (left <= 0) {
            return -1;
          }
          int count = (int) Math.min(left, length);
          left -= count;
          return count;
        }
      };
    }
  }
}
