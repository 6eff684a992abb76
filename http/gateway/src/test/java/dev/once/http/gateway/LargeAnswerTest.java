package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Bytes;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers that are larger than what is kept. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LargeAnswerTest extends GatewayFixture {

  private static final String LARGE = "0123456789".repeat(50_000);
  private static final String KEYED =
      "POST /large HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\nContent-Length: 0\r\n\r\n";

  private void startSmall() {
    start(setup -> setup.policy("max-stored-body", "1000"));
  }

  private static String sha256(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return Bytes.wrap(MessageDigest.getInstance("SHA-256").digest(bytes)).toHex();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void the_first_client_gets_all_of_it_and_a_retry_is_told_that_it_was_not_kept(Protocol protocol)
      throws Exception {
    service.on(
        "/large",
        call -> call.answer(201, LARGE, "Content-Type: text/plain", "Location: /made/1", "X-A: 1"));
    startSmall();
    Protocol.Answer first = protocol.pay(gateway.port(), "/large", "k-1");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.body()).isEqualTo(LARGE);
    assertThat(first.fields("Content-Length")).containsExactly(String.valueOf(LARGE.length()));
    Protocol.Answer retry = protocol.pay(gateway.port(), "/large", "k-1");
    assertThat(retry.status()).isEqualTo(201);
    assertThat(retry.fields("Idempotent-Replayed")).containsExactly("true");
    assertThat(retry.fields("X-A")).containsExactly("1");
    assertThat(retry.fields("Content-Type")).containsExactly("application/json");
    assertThat(retry.body())
        .contains("\"get\":\"/made/1\"")
        .contains("\"bytes\":" + LARGE.length())
        .contains(sha256(LARGE));
    assertThat(service.calls("/large")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void it_may_come_in_chunks(Protocol protocol) {
    service.on(
        "/large",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          for (int i = 0; i < 50; i++) {
            call.chunk("x".repeat(10_000));
          }
          call.send("0\r\n\r\n");
        });
    startSmall();
    assertThat(protocol.pay(gateway.port(), "/large", "k-1").body()).hasSize(500_000);
    assertThat(protocol.pay(gateway.port(), "/large", "k-1").body()).contains("\"bytes\":500000");
  }

  @Test
  void an_answer_of_just_the_limit_is_kept() throws Exception {
    service.on("/edge", call -> call.answer(200, "x".repeat(1000)));
    service.on("/over", call -> call.answer(200, "x".repeat(1001)));
    startSmall();
    pay("/edge", "k-1");
    assertThat(pay("/edge", "k-1").body()).isEqualTo("x".repeat(1000));
    assertThat(pay("/over", "k-2").body()).isEqualTo("x".repeat(1001));
    assertThat(pay("/over", "k-2").body()).contains("\"bytes\":1001");
  }

  @Test
  void with_a_limit_of_zero_only_empty_answers_are_kept() throws Exception {
    start(setup -> setup.policy("max-stored-body", "0"));
    assertThat(pay("/p", "k-1").body()).startsWith("1 /p");
    assertThat(pay("/p", "k-1").body()).contains("\"replayed\":true");
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void if_it_is_cut_the_client_is_cut_off_and_the_key_is_left_to_the_crash_policy()
      throws Exception {
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + LARGE.length());
          call.send(LARGE.substring(0, 300_000));
          call.close();
        });
    start(setup -> setup.policy("max-stored-body", "1000").policy("lease", "150ms"));
    RawClient client = raw();
    client.send(KEYED);
    assertThatThrownBy(client::read).isInstanceOf(IOException.class);
    assertProblem(retryWhileBusy(post("/large", "k-1", "")), 409, "outcome-unknown");
    assertThat(service.calls("/large")).hasSize(1);
  }

  /** Code 0 would be the end of an answer, to curl and others. */
  @Test
  void over_http_2_a_client_that_is_cut_off_is_told_by_an_error() {
    service.on(
        "/large",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("x".repeat(100_000));
          call.close();
        });
    startSmall();
    assertThatThrownBy(() -> Protocol.H2C.pay(gateway.port(), "/large", "k-1"))
        .isInstanceOf(StreamResetException.class)
        .extracting(reset -> ((StreamResetException) reset).getCode())
        .isEqualTo(2L);
  }

  @Test
  void if_the_service_falls_silent_the_client_is_cut_off() throws Exception {
    Gate never = new Gate();
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + LARGE.length());
          call.send(LARGE.substring(0, 300_000));
          never.pass();
        });
    start(
        setup -> {
          setup.policy("max-stored-body", "1000").policy("lease", "150ms");
          setup.responseTimeout = Duration.ofSeconds(1);
        });
    RawClient client = raw();
    client.send(KEYED);
    assertThatThrownBy(client::read).isInstanceOf(IOException.class);
    assertProblem(retryWhileBusy(post("/large", "k-1", "")), 409, "outcome-unknown");
    never.open();
  }

  @Test
  void a_client_that_leaves_in_the_middle_does_not_lose_the_record() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + LARGE.length());
          call.send(LARGE.substring(0, 300_000));
          gate.pass();
          call.send(LARGE.substring(300_000));
        });
    startSmall();
    RawClient client = raw();
    client.send(KEYED);
    client.exactly(10_000);
    client.reset();
    gate.open();
    HttpResponse<String> retry = retryWhileBusy(post("/large", "k-1", ""));
    assertReplayed(retry, 200);
    assertThat(retry.body()).contains(sha256(LARGE));
    assertThat(service.calls("/large")).hasSize(1);
  }

  @Test
  void a_client_that_left_before_it_began_does_not_lose_the_record() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/large",
        call -> {
          gate.pass();
          call.answer(200, LARGE);
        });
    startSmall();
    RawClient client = raw();
    client.send(KEYED);
    gate.awaitReached();
    client.reset();
    gate.open();
    assertReplayed(retryWhileBusy(post("/large", "k-1", "")), 200);
  }

  @Test
  void a_client_that_takes_nothing_is_given_up_and_the_answer_is_recorded_all_the_same()
      throws Exception {
    int size = 30_000_000;
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + size);
          byte[] piece = new byte[100_000];
          for (int i = 0; i < size / piece.length; i++) {
            call.send(piece);
          }
        });
    start(
        setup -> {
          setup.policy("max-stored-body", "1000");
          setup.responseTimeout = Duration.ofSeconds(1);
        });
    RawClient client = closing(RawClient.slow(gateway.port()));
    client.send(KEYED);
    eventually(() -> !service.calls("/large").isEmpty());
    HttpResponse<String> retry = retryWhileBusy(post("/large", "k-1", ""));
    assertReplayed(retry, 200);
    assertThat(retry.body()).contains("\"bytes\":" + size);
    assertThat(client.awaitClose()).isLessThan(size);
  }

  @Test
  void it_does_not_fill_the_memory_of_the_gateway() throws Exception {
    int pieces = 2_000;
    byte[] piece = new byte[100_000];
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + (long) pieces * piece.length);
          for (int i = 0; i < pieces; i++) {
            call.send(piece);
          }
        });
    startSmall();
    RawClient client = raw();
    client.send(KEYED);
    assertThat(client.line()).contains("200");
    // The tests have less memory than these 200 MB; all of it comes nevertheless.
    java.util.concurrent.CompletableFuture<HttpResponse<String>> other =
        sendAsync(payment("/other", "k-2"));
    while (!client.line().isEmpty()) {
      // The rest of the head.
    }
    for (int i = 0; i < pieces; i++) {
      client.exactly(piece.length);
    }
    assertThat(other.join().statusCode()).isEqualTo(201);
  }

  @Test
  void to_http_1_0_it_ends_with_the_connection() throws Exception {
    service.on(
        "/large",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("x".repeat(5_000));
          call.send("0\r\n\r\n");
        });
    startSmall();
    RawClient client = raw();
    client.send(
        "POST /large HTTP/1.0\r\nConnection: keep-alive\r\nIdempotency-Key: k\r\nContent-Length:"
            + " 0\r\n\r\n");
    assertThat(client.read().body()).hasSize(5_000);
  }
}
