package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.io.EOFException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ClientLeavesTest extends GatewayFixture {

  private static final String KEYED =
      "POST /slow HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\nContent-Length: 2\r\n\r\n{}";

  private final Gate gate = new Gate();

  private void slowly(int status) {
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(status, "done");
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void while_the_service_works_the_operation_is_finished_and_a_retry_gets_its_answer(boolean reset)
      throws Exception {
    slowly(200);
    start();
    RawClient client = raw();
    client.send(KEYED);
    gate.awaitReached();
    if (reset) {
      client.reset();
    } else {
      client.close();
    }
    gate.open();
    var retry = retryWhileBusy(post("/slow", "k-1", "{}"));
    assertReplayed(retry, 200);
    assertThat(retry.body()).isEqualTo("done");
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void while_the_service_works_and_the_answer_is_not_stored_the_key_is_free_again()
      throws Exception {
    slowly(429);
    start();
    RawClient client = raw();
    client.send(KEYED);
    gate.awaitReached();
    client.reset();
    gate.open();
    assertFirst(retryWhileBusy(post("/slow", "k-1", "{}")), 429);
  }

  @Test
  void over_http_2_a_stream_that_is_reset_does_not_end_the_operation() throws Exception {
    slowly(200);
    start();
    HttpClientAgent client = Protocol.H2C.client();
    HttpClientRequest request =
        client
            .request(HttpMethod.POST, gateway.port(), "localhost", "/slow")
            .await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    request.putHeader("Idempotency-Key", "k-1").send(Buffer.buffer("{}"));
    gate.awaitReached();
    request.reset().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    gate.open();
    assertReplayed(retryWhileBusy(post("/slow", "k-1", "{}")), 200);
    client.close();
  }

  @Test
  void over_http_2_a_stream_that_is_reset_in_its_body_has_asked_for_nothing() throws Exception {
    start();
    HttpClientAgent client = Protocol.H2C.client();
    HttpClientRequest request =
        client
            .request(HttpMethod.POST, gateway.port(), "localhost", "/p")
            .await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    request.putHeader("Idempotency-Key", "k-1").setChunked(true).write(Buffer.buffer("half"));
    request.reset().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    client.close();
    assertFirst(send(post("/p", "k-1", "{}")), 201);
    assertThat(service.only("/p").text()).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 1000000", "Transfer-Encoding: chunked"})
  void in_the_middle_of_a_body_passed_through_the_service_sees_it_cut_and_not_ended(String framing)
      throws Exception {
    Gate gate = new Gate();
    CompletableFuture<String> seen = new CompletableFuture<>();
    service.on(
        "/up",
        call -> {
          gate.pass();
          try {
            call.body();
            seen.complete("a whole body");
          } catch (EOFException e) {
            seen.complete("cut");
          } catch (java.net.SocketException e) {
            seen.complete("cut");
          }
        });
    start();
    RawClient client = raw();
    client.send("PUT /up HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n\r\n4\r\nhalf\r\n");
    gate.awaitReached();
    client.close();
    gate.open();
    assertThat(seen.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo("cut");
  }

  @Test
  void over_http_2_in_the_middle_of_a_body_passed_through_the_service_sees_it_cut_and_not_ended()
      throws Exception {
    Gate gate = new Gate();
    CompletableFuture<String> seen = new CompletableFuture<>();
    service.on(
        "/up",
        call -> {
          gate.pass();
          try {
            call.body();
            seen.complete("a whole body");
          } catch (java.io.IOException e) {
            seen.complete("cut");
          }
        });
    start();
    HttpClientAgent client = Protocol.H2C.client();
    HttpClientRequest request =
        client
            .request(HttpMethod.PUT, gateway.port(), "localhost", "/up")
            .await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    request.setChunked(true).write(Buffer.buffer("half"));
    gate.awaitReached();
    request.reset().await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    gate.open();
    assertThat(seen.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo("cut");
    client.close();
  }

  @Test
  void in_the_middle_of_an_answer_passed_through_the_service_is_let_go() throws Exception {
    Gate gone = new Gate();
    service.on(
        "/endless",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          try {
            while (true) {
              call.chunk("x".repeat(10_000));
            }
          } finally {
            gone.pass();
          }
        });
    start();
    RawClient client = raw();
    client.send("GET /endless HTTP/1.1\r\nHost: h\r\n\r\n");
    client.exactly(50_000);
    client.reset();
    gone.awaitReached();
    gone.open();
  }

  /** Often: a closed connection may be given to another only within one turn of the event loop. */
  @RepeatedTest(20)
  void before_the_service_answered_what_was_passed_through_the_connection_is_used_again_or_closed()
      throws Exception {
    slowly(200);
    start(setup -> setup.connections = 1);
    for (int i = 0; i < 6; i++) {
      RawClient client = raw();
      client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
      if (i == 0) {
        gate.awaitReached();
      }
      client.reset();
    }
    gate.open();
    assertThat(send(get("/slow")).body()).isEqualTo("done");
  }
}
