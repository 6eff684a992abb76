package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Slow heads, idle connections, bodies that trickle: what they take is limited. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ClientLimitsTest extends GatewayFixture {

  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final String[] GET = {
    ":method", "GET", ":scheme", "http", ":authority", "h", ":path", "/p"
  };

  @ParameterizedTest
  @ValueSource(strings = {"G", "GET / HTTP/1.1\r\nHost: h\r\nX-A: b", "PRI * HTTP/2.0\r\n\r\nS"})
  void a_head_that_does_not_end_ends_the_connection(String beginning) throws Exception {
    start(setup -> setup.headTimeout = SHORT);
    assertThat(raw().send(beginning).awaitClose()).isZero();
  }

  @Test
  void so_does_the_head_of_a_second_request() throws Exception {
    start(setup -> setup.headTimeout = SHORT);
    RawClient client = raw().send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(201);
    assertThat(client.send("GET /p HTTP/1.1\r\n").awaitClose()).isZero();
  }

  @Test
  void a_connection_without_a_request_ends() throws Exception {
    start(setup -> setup.clientIdleTimeout = SHORT);
    assertThat(raw().awaitClose()).isZero();
    RawClient used = raw().send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(used.read().status()).isEqualTo(201);
    assertThat(used.awaitClose()).isZero();
  }

  @Test
  void so_does_one_of_http_2() throws Exception {
    start(setup -> setup.clientIdleTimeout = SHORT);
    closing(new RawHttp2(gateway.port())).awaitClose();
    RawHttp2 used = closing(new RawHttp2(gateway.port())).request(1, null, GET);
    used.awaitClose();
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void so_does_one_that_became_http_2() throws Exception {
    start(setup -> setup.clientIdleTimeout = SHORT);
    RawClient client = raw().send("GET /p HTTP/1.1\r\nHost: h\r\n");
    client.send("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n");
    client.send("HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
    assertThat(client.line()).contains("101");
    client.awaitClose();
  }

  /** They are still in memory, and no connection counts them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requests_of_clients_that_left_wait_for_the_service_in_a_limited_number(boolean keyed)
      throws Exception {
    Gate gate = new Gate();
    service.on("/slow", call -> gate.pass());
    start(
        setup -> {
          setup.maxConnections = 8;
          setup.connections = 1;
        });
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    for (int stream = 1; stream < 25; stream += 2) {
      slow(client, stream, keyed);
      client.frame(RawHttp2.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
    }
    slow(client, 25, keyed);
    assertThat(client.outcome()).isEqualTo("503");
  }

  private static void slow(RawHttp2 client, int stream, boolean keyed) throws Exception {
    client.request(
        stream,
        keyed ? "{}" : null,
        ":method",
        keyed ? "POST" : "GET",
        ":scheme",
        "http",
        ":authority",
        "h",
        ":path",
        "/slow",
        keyed ? "idempotency-key" : "accept",
        "k" + stream);
  }

  @Test
  void so_does_one_with_an_endless_head_of_http_2() throws Exception {
    start(setup -> setup.clientIdleTimeout = SHORT);
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    client.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, RawHttp2.block(GET));
    client.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void and_one_of_operators() throws Exception {
    start(
        setup -> {
          setup.clientIdleTimeout = SHORT;
          setup.headTimeout = SHORT;
        });
    assertThat(closing(new RawClient(gateway.adminPort())).awaitClose()).isZero();
    assertThat(closing(new RawClient(gateway.adminPort())).send("GET /").awaitClose()).isZero();
  }

  @Test
  void but_never_one_on_which_something_runs() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          gate.pass();
          call.answer(200, "late");
        });
    start(
        setup -> {
          setup.clientIdleTimeout = SHORT;
          setup.headTimeout = SHORT;
        });
    RawClient http1 = raw().send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
    RawClient keyed =
        raw()
            .send(
                "POST /slow HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\n"
                    + "Content-Length: 1\r\n\r\nx");
    RawHttp2 http2 =
        closing(new RawHttp2(gateway.port()))
            .request(
                1, null, ":method", "GET", ":scheme", "http", ":authority", "h", ":path", "/slow");
    eventually(() -> service.calls("/slow").size() == 3);
    assertThat(raw().awaitClose()).as("an idle one, opened later").isZero();
    gate.open();
    assertThat(http1.read().body()).isEqualTo("late");
    assertThat(keyed.read().body()).isEqualTo("late");
    assertThat(http2.outcome()).isEqualTo("200");
  }

  @Test
  void nor_one_with_an_event_stream_or_a_websocket() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/events",
        call -> {
          call.head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked");
          gate.pass();
          call.chunk("event");
        });
    service.on(
        "/socket",
        call -> {
          call.head(101, "Connection: Upgrade", "Upgrade: websocket");
          call.send("" + (char) call.read());
        });
    start(
        setup -> {
          setup.clientIdleTimeout = SHORT;
          setup.headTimeout = SHORT;
        });
    RawClient events = raw().send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    RawClient socket =
        raw()
            .send("GET /socket HTTP/1.1\r\nHost: h\r\n")
            .send("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    assertThat(socket.read().status()).isEqualTo(101);
    gate.awaitReached();
    assertThat(raw().awaitClose()).as("an idle one, opened later").isZero();
    assertThat(raw().awaitClose()).as("another one").isZero();
    assertThat(socket.send("s").exactly(1)).isEqualTo("s");
    gate.open();
    while (!events.line().isEmpty()) {
      // the head
    }
    assertThat(events.line()).isEqualTo("5");
  }

  @Test
  void a_client_that_takes_nothing_is_cut_off() throws Exception {
    start(setup -> setup.clientIdleTimeout = SHORT);
    RawClient asks = closing(RawClient.slow(gateway.port()));
    Thread asking =
        new Thread(
            () -> {
              try {
                while (true) {
                  asks.send("POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: \"\r\n\r\n");
                }
              } catch (java.io.IOException cut) {
                // That is what it waits for.
              }
            });
    asking.setDaemon(true);
    asking.start();
    asking.join(Duration.ofSeconds(Gate.TIMEOUT_SECONDS).toMillis());
    assertThat(asking.isAlive()).isFalse();
  }

  @Test
  void connections_beyond_the_limit_are_closed_while_all_others_are_busy() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          gate.pass();
          call.answer(200, "late");
        });
    start(setup -> setup.maxConnections = 3);
    List<RawClient> busy = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      busy.add(raw().send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"));
    }
    eventually(() -> service.calls("/slow").size() == 3);
    assertThat(raw().awaitClose()).isZero();
    assertThat(send(java.net.http.HttpRequest.newBuilder(admin("/health/ready"))).statusCode())
        .as("operators have connections of their own")
        .isEqualTo(200);
    gate.open();
    for (RawClient client : busy) {
      assertThat(client.read().body()).isEqualTo("late");
    }
    eventually(this::isAnswered);
  }

  /** How a client may be there, and ask for nothing. */
  enum Silent {
    FROM_THE_START,
    IN_A_HEAD,
    AFTER_AN_ANSWER,
    IN_HTTP_2,
    AFTER_AN_ANSWER_IN_HTTP_2
  }

  @ParameterizedTest
  @EnumSource
  void connections_without_a_request_give_way_to_new_ones(Silent silent) throws Exception {
    start(setup -> setup.maxConnections = 3);
    for (int i = 0; i < 30; i++) {
      try {
        connect(silent);
      } catch (java.io.IOException e) {
        // It had to give way already.
      }
    }
    eventually(this::isAnswered);
  }

  private void connect(Silent silent) throws java.io.IOException {
    switch (silent) {
      case FROM_THE_START -> raw();
      case IN_A_HEAD -> raw().send("GET /p HTTP/1.1\r\nHost: h\r\n");
      case AFTER_AN_ANSWER -> raw().send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n").read();
      case IN_HTTP_2 -> closing(new RawHttp2(gateway.port()));
      case AFTER_AN_ANSWER_IN_HTTP_2 ->
          closing(new RawHttp2(gateway.port())).request(1, null, GET).outcome();
    }
  }

  @Test
  void streams_beyond_the_limit_are_refused_also_after_upgrades_from_http_1() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          gate.pass();
          call.answer(200, "late");
        });
    start(setup -> setup.maxConnections = 6);
    for (int i = 0; i < 20; i++) {
      try (RawClient client = new RawClient(gateway.port())) {
        client.send("GET /p HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\n");
        client.send("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
        assertThat(client.line()).contains("101");
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        client.send(new byte[] {0, 0, 0, RawHttp2.SETTINGS, 0, 0, 0, 0, 0});
        int upgrades = i + 1;
        eventually(() -> service.calls("/p").size() == upgrades);
      }
    }
    eventually(() -> connections().equals("1.0")); // this look itself; the others are gone
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    for (int i = 0; i < 15; i++) {
      client.request(
          1 + 2 * i,
          null,
          ":method",
          "GET",
          ":scheme",
          "http",
          ":authority",
          "h",
          ":path",
          "/slow");
    }
    for (int i = 0; i < 12; i++) {
      assertThat(client.outcome()).isEqualTo("reset");
    }
    gate.open();
    for (int i = 0; i < 3; i++) {
      assertThat(client.outcome()).isEqualTo("200");
    }
  }

  private String connections() {
    try {
      String metrics = send(HttpRequest.newBuilder(admin("/metrics"))).body();
      return metrics
          .lines()
          .filter(line -> line.startsWith("gateway_connections "))
          .map(line -> line.substring("gateway_connections ".length()))
          .findFirst()
          .orElse("none");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void each_connection_may_have_one_stream_whoever_has_too_many() throws Exception {
    Gate gate = new Gate();
    service.on("/slow", call -> gate.pass());
    start(setup -> setup.maxConnections = 3);
    RawHttp2 many = closing(new RawHttp2(gateway.port()));
    for (int stream = 1; stream < 20; stream += 2) {
      slow(many, stream, false);
    }
    assertThat(many.outcome()).isEqualTo("reset");
    RawHttp2 other = closing(new RawHttp2(gateway.port())).request(1, null, GET);
    assertThat(other.outcome()).isEqualTo("201");
  }

  @Test
  void the_one_that_is_silent_for_longest_gives_way_first() throws Exception {
    start(setup -> setup.maxConnections = 2);
    RawClient first = raw().send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(first.read().status()).isEqualTo(201);
    RawClient second = raw().send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(second.read().status()).isEqualTo(201);
    assertThat(isAnswered()).isTrue();
    assertThat(first.awaitClose()).isZero();
    second.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(second.read().status()).isEqualTo(201);
  }

  private boolean isAnswered() {
    try (RawClient client = new RawClient(gateway.port())) {
      return client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n").read().status() == 201;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  @Test
  void a_body_that_trickles_through_loses_its_connection_to_the_service() throws Exception {
    start(
        setup -> {
          setup.bodyTimeout = Duration.ofSeconds(1);
          setup.connections = 1;
        });
    RawClient trickle =
        raw().send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nx");
    Thread drops =
        new Thread(
            () -> {
              try {
                while (true) {
                  trickle.send("x");
                  Thread.sleep(50);
                }
              } catch (Exception cut) {
                // That is what it waits for.
              }
            });
    drops.setDaemon(true);
    drops.start();
    assertThat(trickle.read().status()).isEqualTo(408);
    drops.join();
    assertFirst(send(get("/q")), 201);
  }

  @Test
  void a_late_100_does_not_start_the_time_for_a_body_again() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/up",
        call -> {
          call.send("HTTP/1.1 100 Continue\r\n\r\n");
          call.body();
          call.send("HTTP/1.1 100 Continue\r\n\r\n");
          call.answer(200, "done");
        });
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "late");
        });
    start(
        setup -> {
          setup.bodyTimeout = SHORT;
          setup.connections = 1;
        });
    RawClient client = raw();
    client.send(
        "POST /up HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(100);
    assertThat(client.send("x").read().body()).isEqualTo("done");
    // Its connection to the service is another request's now.
    String keyed =
        "POST %s HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\nx";
    client.send(keyed.formatted("/slow") + "x");
    eventually(() -> service.calls("/slow").size() == 1);
    assertThat(raw().send(keyed.formatted("/p")).read().status())
        .as("the time of a body that began later")
        .isEqualTo(408);
    gate.open();
    assertThat(client.read().body()).isEqualTo("late");
  }

  @Test
  void uploads_that_stall_leave_connections_to_the_service_to_others() throws Exception {
    start(setup -> setup.connections = 16);
    for (int i = 0; i < 60; i++) {
      raw().send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nx");
    }
    eventually(() -> service.calls("/p").size() > 1);
    for (int i = 0; i < 8; i++) {
      RawClient other = raw().send("GET /q HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(other.read().status()).isEqualTo(201);
    }
  }

  @Test
  void uploads_that_stall_on_few_connections_leave_room_for_those_of_others() throws Exception {
    start(setup -> setup.connections = 16 * Runtime.getRuntime().availableProcessors());
    for (int i = 0; i < 2; i++) {
      RawHttp2 client = closing(new RawHttp2(gateway.port()));
      for (int stream = 1; stream < 80; stream += 2) {
        client.frame(
            RawHttp2.HEADERS,
            RawHttp2.END_HEADERS,
            stream,
            RawHttp2.block(":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/p"));
      }
      assertThat(client.outcome()).as("of one beyond its share").isEqualTo("503");
    }
    for (int i = 0; i < 4; i++) {
      RawClient other = raw().send("POST /q HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked");
      other.send("\r\n\r\n1\r\nx\r\n0\r\n\r\n");
      assertThat(other.read().status()).isEqualTo(201);
    }
  }

  @Test
  void an_upload_over_http_2_whose_answer_is_cut_off_leaves_room_for_others() throws Exception {
    service.on(
        "/cut",
        call -> {
          call.head(200, "Content-Length: 100000");
          call.send("half");
          call.close();
        });
    start(setup -> setup.connections = 2);
    for (int i = 0; i < 4; i++) {
      RawHttp2 client = closing(new RawHttp2(gateway.port()));
      client.frame(
          RawHttp2.HEADERS,
          RawHttp2.END_HEADERS,
          1,
          RawHttp2.block(":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/cut"));
      client.frame(RawHttp2.DATA, 0, 1, new byte[1]);
      assertThat(client.outcome()).isEqualTo("200");
      assertThat(client.outcome()).startsWith("reset");
    }
    for (int i = 0; i < 4; i++) {
      RawClient other = raw().send("POST /q HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked");
      other.send("\r\n\r\n1\r\nx\r\n0\r\n\r\n");
      assertThat(other.read().status()).isEqualTo(201);
    }
  }

  @ParameterizedTest
  @CsvSource({"30000, 200", "40000, 431"})
  void a_head_of_http_2_may_have_32_kb(int bytes, String outcome) throws Exception {
    service.on("/p", call -> call.answer(200, "ok"));
    start();
    List<String> fields = new ArrayList<>(List.of(GET));
    fields.addAll(List.of("x-a", "v".repeat(bytes)));
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    client.request(1, null, fields.toArray(String[]::new));
    assertThat(client.outcome()).isEqualTo(outcome);
  }

  @Test
  void a_head_may_have_200_fields() throws Exception {
    start();
    String head = "GET /p HTTP/1.1\r\nHost: h\r\n";
    assertThat(raw().send(head + "a: b\r\n".repeat(190) + "\r\n").read().status()).isEqualTo(201);
    int status = raw().send(head + "a: b\r\n".repeat(5000) + "\r\n").read().status();
    assertThat(status).isIn(400, 431);
  }

  @Test
  void so_may_one_of_http_2() throws Exception {
    start();
    for (int count : new int[] {190, 300}) {
      List<String> fields = new ArrayList<>(List.of(GET));
      for (int i = 0; i < count; i++) {
        fields.addAll(List.of("x" + i, ""));
      }
      RawHttp2 client = closing(new RawHttp2(gateway.port()));
      client.request(1, null, fields.toArray(String[]::new));
      assertThat(client.outcome()).isEqualTo(count < 200 ? "201" : "431");
    }
  }
}
