package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies are held within one budget, and whatever becomes of them, it is whole again. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldBytesTest extends GatewayFixture {

  private static final int LARGE = 200_000;

  /** Room for one large body. */
  private void startWithLittleRoom() {
    start(setup -> setup.maxHeldBytes = 300_000);
  }

  private String metric(String name) {
    try {
      return send(java.net.http.HttpRequest.newBuilder(admin("/metrics")))
          .body()
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .map(line -> line.substring(name.length() + 1))
          .findFirst()
          .orElseThrow();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void assertNothingHeld() {
    eventually(() -> metric("gateway_held_bytes").equals("0.0"));
  }

  /** A client that has asked with a large body, but for its last byte. */
  private RawClient unfinished(String key) throws Exception {
    return raw()
        .send(
            "POST /p HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(key, LARGE, "x".repeat(LARGE - 1)));
  }

  @Test
  void limit_and_refusals_are_told_before_anything_happened() {
    startWithLittleRoom();
    assertThat(metric("gateway_held_bytes")).isEqualTo("0.0");
    assertThat(metric("gateway_held_bytes_limit")).isEqualTo("300000.0");
    assertThat(metric("gateway_held_refusals_total")).isEqualTo("0.0");
    assertThat(metric("gateway_connections_refused_total")).isEqualTo("0.0");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void beyond_it_a_key_gets_503_and_stays_free(Protocol protocol) throws Exception {
    startWithLittleRoom();
    RawClient first = unfinished("a");
    eventually(() -> !metric("gateway_held_bytes").equals("0.0"));
    Protocol.Answer refused = large(protocol, "b");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.body()).contains("#overloaded");
    assertThat(refused.fields("Retry-After")).containsExactly("2");
    assertThat(metric("gateway_held_refusals_total")).isEqualTo("1.0");
    assertThat(protocol.pay(gateway.port(), "/p", "small").status()).isEqualTo(201);
    first.send("x");
    assertThat(first.read().status()).isEqualTo(201);
    assertThat(large(protocol, "b").status()).isEqualTo(201);
    assertNothingHeld();
  }

  private Protocol.Answer large(Protocol protocol, String key) {
    return protocol.send(
        gateway.port(), "POST", "/p", "y".repeat(LARGE), "Idempotency-Key: " + key);
  }

  @Test
  void who_waits_for_room_gets_it_when_another_leaves() throws Exception {
    startWithLittleRoom();
    RawClient first = unfinished("a");
    eventually(() -> !metric("gateway_held_bytes").equals("0.0"));
    CompletableFuture<HttpResponse<String>> second = sendAsync(post("/p", "b", "y".repeat(LARGE)));
    first.reset();
    HttpResponse<String> answer = second.get();
    assertThat(answer.statusCode()).isEqualTo(201);
    assertNothingHeld();
  }

  @Test
  void an_answer_without_room_streams_and_is_remembered() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          call.head(200, "Content-Length: " + LARGE);
          call.send("z".repeat(LARGE - 1));
          gate.pass();
          call.send("z");
        });
    startWithLittleRoom();
    List<CompletableFuture<HttpResponse<InputStream>>> answers = new ArrayList<>();
    for (String key : List.of("a", "b", "c")) {
      answers.add(HTTP.sendAsync(post("/slow", key, "").build(), BodyHandlers.ofInputStream()));
    }
    eventually(() -> service.calls("/slow").size() == 3);
    assertFirst(pay("/p", "other"), 201);
    // There is room for one at most, and none leaves before the gate opens.
    eventually(() -> answers.stream().anyMatch(CompletableFuture::isDone));
    gate.open();
    for (CompletableFuture<HttpResponse<InputStream>> answer : answers) {
      assertThat(answer.get().statusCode()).isEqualTo(200);
      assertThat(answer.get().headers().firstValue("Idempotent-Replayed")).isEmpty();
      assertThat(answer.get().body().readAllBytes()).hasSize(LARGE);
    }
    int digests = 0;
    for (String key : List.of("a", "b", "c")) {
      HttpResponse<String> retry = send(post("/slow", key, ""));
      assertReplayed(retry, 200);
      digests += retry.body().contains("\"bytes\":" + LARGE) ? 1 : 0;
    }
    assertThat(digests).as("kept without their bodies").isPositive();
    assertThat(service.calls("/slow")).hasSize(3);
    assertNothingHeld();
  }

  @Test
  void bodies_that_are_only_announced_take_no_answer_out_of_the_record() throws Exception {
    String large = "z".repeat(30_000);
    service.on("/large", call -> call.answer(200, large));
    start(setup -> setup.maxHeldBytes = 400_000);
    List<RawClient> announced = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      announced.add(
          raw()
              .send(
                  "POST /p HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: announced-%d\r\n"
                          .formatted(i)
                      + "Content-Length: 33000\r\n\r\n"));
    }
    eventually(() -> !metric("gateway_held_refusals_total").equals("0.0"));
    assertThat(send(post("/large", "k", "")).body()).isEqualTo(large);
    for (RawClient client : announced) {
      client.reset();
    }
    assertNothingHeld();
    HttpResponse<String> retry = send(post("/large", "k", ""));
    assertReplayed(retry, 200);
    assertThat(retry.body()).isEqualTo(large);
  }

  @Test
  void nothing_stays_held_after_ends_of_all_kinds() throws Exception {
    Gate gate = new Gate();
    service.on("/cut", call -> call.close());
    service.on(
        "/half",
        call -> {
          call.body();
          call.head(200, "Content-Length: " + LARGE);
          call.send("z".repeat(1000));
          call.close();
        });
    service.on(
        "/half-small",
        call -> {
          call.body();
          call.head(200, "Content-Length: 5000");
          call.send("z".repeat(1000));
          call.close();
        });
    service.on("/large", call -> call.answer(200, "z".repeat(2_000_000)));
    service.on(
        "/held",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "late");
        });
    start(setup -> setup.policy("max-request-body", "300k"));
    String body = "y".repeat(LARGE);
    assertFirst(send(post("/p", "done", body)), 201);
    assertReplayed(send(post("/p", "done", body)), 201);
    assertThat(send(post("/p", "done", "other")).statusCode()).isEqualTo(422);
    assertThat(send(post("/cut", "cut", body)).statusCode()).isEqualTo(502);
    assertThat(send(post("/half", "half", body)).statusCode()).isEqualTo(502);
    assertThat(send(post("/half-small", null, "small")).statusCode()).isEqualTo(502);
    assertThat(send(post("/cut", null, "small")).statusCode()).isEqualTo(502);
    assertThat(send(post("/large", "large", body)).body()).hasSize(2_000_000);
    assertThat(send(post("/p", "over", "y".repeat(400_000))).statusCode()).isEqualTo(413);
    assertThat(send(get("/p")).statusCode()).isEqualTo(201);
    unfinished("left").reset();
    CompletableFuture<HttpResponse<String>> held = sendAsync(post("/held", "held", body));
    gate.awaitReached();
    assertThat(send(post("/held", "held", body)).statusCode()).isEqualTo(409);
    gate.open();
    assertThat(held.get().statusCode()).isEqualTo(200);
    assertNothingHeld();
  }

  @Test
  void a_body_that_takes_too_long_is_given_up() throws Exception {
    start(setup -> setup.bodyTimeout = java.time.Duration.ofMillis(200));
    assertThat(unfinished("slow").read().status()).isEqualTo(408);
    assertNothingHeld();
  }

  @Test
  void what_a_client_does_not_take_is_given_up() throws Exception {
    service.on("/large", call -> call.answer(200, "z".repeat(6_000_000)));
    start(
        setup -> {
          setup.policy("max-stored-body", "8m");
          setup.responseTimeout = java.time.Duration.ofSeconds(6);
        });
    assertThat(send(post("/large", "k", "")).body()).hasSize(6_000_000);
    RawClient stalls = closing(RawClient.slow(gateway.port()));
    stalls.send(
        "POST /large HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n");
    eventually(() -> !metric("gateway_held_bytes").equals("0.0"));
    assertNothingHeld();
    assertThat(stalls.awaitClose()).isLessThan(6_000_000);
  }

  @Test
  void nor_what_a_client_of_http_2_asked_for_and_left() throws Exception {
    service.on("/large", call -> call.answer(200, "z".repeat(6_000_000)));
    start(setup -> setup.policy("max-stored-body", "8m"));
    assertThat(send(post("/large", "k", "")).body()).hasSize(6_000_000);
    String[] retry = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":authority",
      "localhost",
      ":path",
      "/large",
      "idempotency-key",
      "k"
    };
    RawHttp2 client = closing(new RawHttp2(gateway.port())).request(1, null, retry);
    assertThat(client.outcome()).isEqualTo("200");
    eventually(() -> !metric("gateway_held_bytes").equals("0.0"));
    client.frame(RawHttp2.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
    assertNothingHeld();
    RawHttp2 other = closing(new RawHttp2(gateway.port())).request(1, null, retry);
    assertThat(other.outcome()).isEqualTo("200");
    eventually(() -> !metric("gateway_held_bytes").equals("0.0"));
    other.close();
    assertNothingHeld();
  }
}
