package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServer;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WebSocketTest extends GatewayFixture {

  private static final String HANDSHAKE =
      "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade"
          + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

  private static <T> T await(io.vertx.core.Future<T> future) throws Exception {
    return future.await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private HttpServer echoing() throws Exception {
    HttpServer server =
        await(
            Protocol.vertx()
                .createHttpServer()
                .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
                .listen(0, "localhost"));
    closing(() -> await(server.close()));
    return server;
  }

  @Test
  void messages_pass_both_ways_and_so_does_the_end() throws Exception {
    HttpServer server = echoing();
    start(
        setup -> {
          setup.upstream = URI.create("http://localhost:" + server.actualPort());
          setup.responseTimeout = Duration.ofSeconds(1);
        });
    WebSocketClient client = Protocol.vertx().createWebSocketClient();
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    WebSocketConnectOptions options =
        new WebSocketConnectOptions().setHost("localhost").setPort(gateway.port()).setURI("/ws");
    // The first handshake loads classes, and may take longer than the service may be silent.
    WebSocket socket = await(client.connect(options).recover(late -> client.connect(options)));
    socket.textMessageHandler(heard::add).closeHandler(closed::complete);
    Thread.sleep(1_500); // longer than a service may be silent
    for (String message : List.of("hello", "x".repeat(60_000), "")) {
      socket.writeTextMessage(message);
      assertThat(heard.poll(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo(message);
    }
    await(socket.close());
    closed.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    client.close();
  }

  @Test
  void bytes_pass_both_ways_after_the_handshake() throws Exception {
    service.on(
        "/ws",
        call -> {
          call.head(101, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: x");
          call.send("welcome");
          for (int next = call.read(); next >= 0; next = call.read()) {
            call.send(new byte[] {(byte) next});
          }
        });
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(101);
    assertThat(answer.field("Upgrade")).isEqualTo("websocket");
    assertThat(answer.field("Connection")).isEqualToIgnoringCase("upgrade");
    assertThat(answer.field("Sec-WebSocket-Accept")).isEqualTo("x");
    assertThat(client.exactly(7)).isEqualTo("welcome");
    client.send("ping");
    assertThat(client.exactly(4)).isEqualTo("ping");
    Service.Call call = service.only("/ws");
    assertThat(call.field("Sec-WebSocket-Key")).isEqualTo("dGhlIHNhbXBsZSBub25jZQ==");
    assertThat(call.field("Upgrade")).isEqualTo("websocket");
  }

  @Test
  void the_service_closing_closes_the_client() throws Exception {
    service.on(
        "/ws",
        call -> {
          call.head(101, "Upgrade: websocket", "Connection: Upgrade");
          call.send("bye");
          call.close();
        });
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    assertThat(client.read().status()).isEqualTo(101);
    assertThat(client.exactly(3)).isEqualTo("bye");
    client.awaitClose();
  }

  @Test
  void the_client_leaving_closes_the_service() throws Exception {
    Gate gone = new Gate();
    service.on(
        "/ws",
        call -> {
          call.head(101, "Upgrade: websocket", "Connection: Upgrade");
          call.awaitClose();
          gone.pass();
        });
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    assertThat(client.read().status()).isEqualTo(101);
    client.close();
    gone.awaitReached();
    gone.open();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bytes_in_one_packet_with_the_handshake_pass_both_ways(boolean secure) throws Exception {
    service.on(
        "/ws",
        call -> {
          call.send(
              "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade"
                  + "\r\nSec-WebSocket-Accept: x\r\n\r\nwelcome");
          for (int next = call.read(); next >= 0; next = call.read()) {
            call.send(new byte[] {(byte) next});
          }
        });
    var tls = secure ? Certificates.of("one").writeTo(folder) : null;
    start(setup -> setup.tls = tls);
    for (String before : List.of("", "GET /first HTTP/1.1\r\nHost: h\r\n\r\n")) {
      RawClient client = secure ? closing(RawClient.tls(gateway.port())) : raw();
      if (!before.isEmpty()) {
        client.send(before).read();
      }
      client.send(HANDSHAKE + "early");
      assertThat(client.read().status()).isEqualTo(101);
      assertThat(client.exactly(12)).isEqualTo("welcomeearly");
      client.send("ping");
      assertThat(client.exactly(4)).isEqualTo("ping");
    }
  }

  @Test
  void bytes_that_the_client_sends_before_the_101_are_not_lost() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/ws",
        call -> {
          gate.pass();
          call.head(101, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: x");
          for (int next = call.read(); next >= 0; next = call.read()) {
            call.send(new byte[] {(byte) next});
          }
        });
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    gate.awaitReached();
    String early = "early ".repeat(1_000);
    client.send(early);
    gate.open();
    assertThat(client.read().status()).isEqualTo(101);
    client.send("late");
    assertThat(client.exactly(early.length() + 4)).isEqualTo(early + "late");
  }

  @Test
  void more_bytes_than_a_gateway_holds_back_wait_with_the_client() throws Exception {
    Gate gate = new Gate();
    int length = 8 << 20;
    service.on(
        "/ws",
        call -> {
          gate.pass();
          call.head(101, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: x");
          call.send(call.exactly(length).length + " bytes");
        });
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    gate.awaitReached();
    CompletableFuture<Void> sent =
        CompletableFuture.runAsync(
            () -> {
              try {
                client.send(new byte[length]);
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    gate.open();
    assertThat(client.read().status()).isEqualTo(101);
    assertThat(client.exactly(13)).isEqualTo(length + " bytes");
    sent.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requests_in_one_packet_with_a_handshake_that_is_refused_are_answered(boolean secure)
      throws Exception {
    service.on("/ws", call -> call.answer(403, "not you"));
    var tls = secure ? Certificates.of("one").writeTo(folder) : null;
    start(setup -> setup.tls = tls);
    RawClient client = secure ? closing(RawClient.tls(gateway.port())) : raw();
    client.send(HANDSHAKE + "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(403);
    assertThat(client.read().body()).isEqualTo("1 /next ");
  }

  @Test
  void requests_in_one_packet_with_a_handshake_that_nobody_answers_are_answered() throws Exception {
    start();
    service.close();
    RawClient client = raw();
    client.send(HANDSHAKE + "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(502);
    assertThat(client.read().status()).isEqualTo(502);
  }

  @Test
  void handshakes_that_are_refused_do_not_use_up_connections() throws Exception {
    service.on("/ws", call -> call.answer(403, "not you"));
    start(
        setup -> {
          setup.connections = 1;
          setup.connectTimeout = Duration.ofSeconds(30);
        });
    RawClient client = raw();
    for (int i = 0; i < 5; i++) {
      client.send(HANDSHAKE);
      assertThat(client.read().status()).isEqualTo(403);
    }
  }

  @Test
  void a_service_that_switches_unasked_is_a_502() throws Exception {
    service.on("/p", call -> call.head(101, "Upgrade: websocket", "Connection: Upgrade"));
    start();
    assertThat(send(get("/p")).statusCode()).isEqualTo(502);
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
    assertProblem(pay("/p", "k-1"), 409, "still-running");
  }

  @Test
  void a_service_that_refuses_is_heard() throws Exception {
    service.on("/ws", call -> call.answer(403, "not you"));
    start();
    RawClient client = raw();
    client.send(HANDSHAKE);
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body()).isEqualTo("not you");
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /next ");
  }

  @Test
  void a_service_that_does_not_answer_the_handshake_is_given_up() throws Exception {
    service.on("/ws", Service.Call::awaitClose);
    start(setup -> setup.responseTimeout = Duration.ofMillis(200));
    RawClient client = raw();
    client.send(HANDSHAKE);
    assertThat(client.read().status()).isEqualTo(504);
  }

  @ParameterizedTest
  @ValueSource(strings = {"h2c", "h2c, websocket", "HTTP/1.1", "TLS/1.0", "foo"})
  void no_other_protocol_is_spoken_past_the_gateway(String protocol) throws Exception {
    service.on("/up", call -> call.answer(200, "upgrade: " + call.field("Upgrade")));
    start();
    RawClient client = raw();
    client.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\n");
    client.read();
    client.send(
        "GET /up HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: "
            + protocol
            + "\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("upgrade: null");
    assertThat(service.only("/up").fields("HTTP2-Settings")).isEmpty();
  }

  @Test
  void a_request_with_a_key_is_protected_whatever_it_wants_to_upgrade_to() throws Exception {
    start();
    String request =
        "POST /p HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket"
            + "\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n";
    assertThat(raw().send(request).read().status()).isEqualTo(201);
    assertThat(raw().send(request).read().field("Idempotent-Replayed")).isEqualTo("true");
  }
}
