package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How a gateway starts and stops. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StopTest extends GatewayFixture {

  private final Gate gate = new Gate();

  private void slowly() {
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "run " + call.number());
        });
  }

  private Thread closing() {
    Thread closing = new Thread(gateway::close);
    closing.start();
    return closing;
  }

  private boolean refusesConnections() {
    try (RawClient client = new RawClient(gateway.port())) {
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void a_request_that_runs_gets_its_answer_and_new_connections_are_refused() throws Exception {
    slowly();
    start(setup -> setup.store = sqlite());
    int port = gateway.port();
    var running = sendAsync(payment("/slow", "k-1"));
    gate.awaitReached();
    Thread closing = closing();
    eventually(
        () -> {
          try (RawClient client = new RawClient(port)) {
            return false;
          } catch (IOException e) {
            return true;
          }
        });
    gate.open();
    assertFirst(running.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS), 200);
    closing.join();
    start(setup -> setup.store = sqlite());
    assertReplayed(pay("/slow", "k-1"), 200);
  }

  @Test
  void a_request_passed_through_gets_its_answer_too() throws Exception {
    slowly();
    start();
    var running = sendAsync(get("/slow"));
    gate.awaitReached();
    Thread closing = closing();
    gate.open();
    assertThat(running.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS).body()).isEqualTo("run 1");
    closing.join();
  }

  @Test
  void over_http_2_a_request_that_runs_gets_its_answer() throws Exception {
    slowly();
    start();
    int port = gateway.port();
    var running =
        java.util.concurrent.CompletableFuture.supplyAsync(
            () -> Protocol.H2C.pay(port, "/slow", "k-1"));
    gate.awaitReached();
    Thread closing = closing();
    gate.open();
    assertThat(running.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS).body()).isEqualTo("run 1");
    closing.join();
  }

  /** A client cannot know of the last word before it has come. */
  @Test
  void over_http_2_a_request_that_crosses_the_word_to_leave_costs_nobody_an_answer()
      throws Exception {
    slowly();
    start(setup -> setup.grace = Duration.ofMinutes(1));
    RawHttp2 client = closing(new RawHttp2(gateway.port()));
    client.request(1, "{}", paymentOverHttp2("k-1"));
    gate.awaitReached();
    Thread closing = closing();
    client.await(RawHttp2.GOAWAY);
    client.request(3, "{}", paymentOverHttp2("k-2"));
    client.await(RawHttp2.HEADERS); // of the second: the first waits at the gate
    assertThat(isServed(gateway.port())).as("another connection").isFalse();
    gate.open();
    assertThat(client.outcome()).isEqualTo("200");
    client.close();
    closing.join();
  }

  private static boolean isServed(int port) {
    try (RawClient other = new RawClient(port)) {
      other.send("GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n");
      other.read();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static String[] paymentOverHttp2(String key) {
    return new String[] {
      ":method", "POST",
      ":scheme", "http",
      ":authority", "localhost",
      ":path", "/slow",
      "idempotency-key", key
    };
  }

  @Test
  void what_runs_longer_than_the_grace_is_left_to_the_crash_policy() throws Exception {
    slowly();
    start(
        setup -> {
          setup.store = sqlite();
          setup.grace = Duration.ofMillis(100);
          setup.policy("lease", "300ms");
        });
    var running = sendAsync(payment("/slow", "k-1"));
    gate.awaitReached();
    gateway.close();
    assertThat(
            running
                .handle((response, failure) -> failure == null ? response.statusCode() : 0)
                .get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS))
        .isNotEqualTo(200);
    gate.open();
    start(setup -> setup.store = sqlite());
    assertProblem(retryWhileBusy(payment("/slow", "k-1")), 409, "outcome-unknown");
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void a_lease_that_was_begun_and_not_used_is_handed_back() throws Exception {
    start(setup -> setup.store = sqlite());
    Connection lock =
        closing(DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("once.db")));
    lock.createStatement().execute("pragma busy_timeout = 20000");
    lock.createStatement().execute("begin immediate");
    RawClient begun = takenUp("/p");
    Thread closing = closing();
    eventually(this::refusesConnections);
    lock.createStatement().execute("rollback");
    RawClient.Answer answer = begun.read();
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.body()).contains("#stopping");
    closing.join();
    assertThat(service.calls("/p")).isEmpty();
    start(setup -> setup.store = sqlite());
    assertFirst(pay("/p", "k-1"), 201);
  }

  /**
   * A payment with the key k-1 that the gateway has begun to read, so that it does not stop without
   * an answer. Nothing shows that it is at the store; by the time that another request was
   * answered, it should be.
   */
  private RawClient takenUp(String path) throws IOException, InterruptedException {
    RawClient client = raw();
    client.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k-1\r\n");
    client.send("Content-Type: application/json\r\nContent-Length: 12\r\n");
    client.send("Expect: 100-continue\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(100);
    client.send("{\"amount\":1}");
    assertThat(send(get("/other")).statusCode()).isEqualTo(201);
    return client;
  }

  @Test
  void duplicates_that_wait_are_answered_when_it_stops() throws Exception {
    slowly();
    start(setup -> setup.policy("on-busy", "wait"));
    var running = sendAsync(payment("/slow", "k-1"));
    gate.awaitReached();
    RawClient waiting = takenUp("/slow");
    Thread closing = closing();
    gate.open();
    assertFirst(running.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS), 200);
    assertThat(waiting.read().body()).containsAnyOf("run 1", "#stopping");
    closing.join();
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void closing_twice_is_closing_once() {
    start();
    gateway.close();
    gateway.close();
    assertThat(refusesConnections()).isTrue();
  }

  @Test
  void an_idle_connection_does_not_hold_it_up() throws Exception {
    start(setup -> setup.grace = Duration.ofMinutes(10));
    RawClient silent = raw();
    RawClient undecided = raw().send("PRI * HTTP/2.0");
    RawClient unfinished = raw().send("GET /p HTTP/1.1\r\nHost:");
    HttpClientAgent http2 = Protocol.H2C.client();
    http2
        .request(HttpMethod.GET, gateway.port(), "localhost", "/p")
        .compose(request -> request.send().compose(HttpClientResponse::body))
        .await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    RawClient idle = raw();
    idle.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n").read();
    gateway.close();
    for (RawClient client : List.of(silent, undecided, unfinished, idle)) {
      client.awaitClose();
    }
    http2.close();
  }

  @Test
  void a_client_in_the_middle_of_its_body_does_not_hold_it_up_for_longer_than_the_grace()
      throws Exception {
    start(setup -> setup.grace = Duration.ofMillis(300));
    RawClient slow = raw();
    slow.send("POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nContent-Length: 9\r\n\r\nx");
    gateway.close();
    slow.awaitClose();
    assertThat(service.calls()).isEmpty();
  }

  @Test
  void however_requests_ended_none_of_them_holds_it_up() throws Exception {
    service.on("/cut", call -> call.close());
    service.on("/not-you", call -> call.answer(401, "x"));
    service.on("/large", call -> call.answer(200, "x".repeat(100_000)));
    service.on("/bad", call -> call.answer(200, "x", "(x): 1"));
    service.on("/silent", Service.Call::awaitClose);
    service.on(
        "/cut-large",
        call -> {
          call.body();
          call.head(200, "Content-Length: 100000");
          call.send("x".repeat(50_000));
          call.close();
        });
    start(
        setup -> {
          setup.grace = Duration.ofMinutes(10);
          setup.responseTimeout = Duration.ofSeconds(2);
          setup.policy("max-stored-body", "1000").policy("max-request-body", "1000");
        });
    for (String path :
        List.of("/p", "/p", "/cut", "/cut", "/not-you", "/large", "/large", "/bad", "/silent")) {
      pay(path, "k-" + path);
    }
    send(post("/p", "k-/p", "mismatch"));
    send(post("/p", "b a d", "x"));
    send(post("/p", "k-large", "x".repeat(2000)));
    assertThatThrownBy(() -> pay("/cut-large", "k-cut-large")).isInstanceOf(IOException.class);
    for (String path : List.of("/p", "/large", "/silent", "/cut")) {
      RawClient leaving = raw();
      leaving.send("POST " + path + " HTTP/1.1\r\nHost: h\r\nIdempotency-Key: l\r\n");
      leaving.send("Content-Length: 0\r\n\r\n").reset();
    }
    service.close();
    pay("/p", "k-refused");
    gateway.close();
  }

  @Test
  void what_waits_for_a_connection_when_the_grace_is_over_is_handed_back() throws Exception {
    slowly();
    start(
        setup -> {
          setup.store = sqlite();
          setup.grace = Duration.ofMillis(200);
          setup.connections = 1;
          setup.connectTimeout = Duration.ofMinutes(5);
        });
    int loops = Math.max(1, Runtime.getRuntime().availableProcessors());
    for (int i = 0; i < loops * 8; i++) {
      sendAsync(payment("/slow", "k-" + i));
    }
    gate.awaitReached();
    eventually(() -> service.calls("/slow").size() == loops);
    gateway.close();
    gate.open();
    start(setup -> setup.store = sqlite());
    int free = 0;
    for (int i = 0; i < loops * 8; i++) {
      free += pay("/slow", "k-" + i).statusCode() == 200 ? 1 : 0;
    }
    assertThat(free).isEqualTo(loops * 8 - loops);
  }

  @Test
  void no_thread_is_left_behind() {
    start();
    gateway.close();
    eventually(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("once")));
  }

  // Starting.

  @Test
  void a_port_that_is_taken_is_said_in_one_line() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      assertThatThrownBy(() -> start(setup -> setup.port = other.getLocalPort()))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("listen: localhost:" + other.getLocalPort())
          .hasMessageContaining("in use")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void after_a_failed_start_nothing_is_held() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      assertThatThrownBy(
              () ->
                  start(
                      setup -> {
                        setup.port = other.getLocalPort();
                        setup.store = sqlite();
                      }))
          .isInstanceOf(GatewayException.class);
    }
    start(setup -> setup.store = sqlite());
    assertFirst(pay("/p", "k-1"), 201);
  }

  @Test
  void a_store_that_is_not_there_is_said_in_one_line() {
    assertThatThrownBy(() -> start(setup -> setup.store = "sqlite:/no/such/folder/once.db"))
        .isInstanceOf(GatewayException.class)
        .hasMessageStartingWith("store: sqlite:/no/such/folder/once.db")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void bad_files_of_certificates_are_said_in_one_line() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    Files.writeString(tls.certificate(), "nonsense");
    assertThatThrownBy(() -> start(setup -> setup.tls = tls))
        .isInstanceOf(GatewayException.class)
        .message()
        .doesNotContain("\n");
    Files.delete(tls.key());
    assertThatThrownBy(() -> start(setup -> setup.tls = tls))
        .isInstanceOf(GatewayException.class)
        .hasMessage("tls: " + tls.key() + " (expected: a readable file in PEM)");
    assertThatThrownBy(
            () ->
                start(
                    setup -> {
                      setup.tls = tls;
                      setup.store = sqlite();
                    }))
        .isInstanceOf(GatewayException.class);
    eventually(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("once-sqlite")));
  }
}
