package dev.once.cli.process;

import static dev.once.cli.process.Client.newKey;
import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients of the profile {@code portal} rely on, through a gateway process. */
@DisplayName("Profile portal")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class PortalScenariosTest {

  private static final int LONGEST_KEY = 128;

  @TempDir private static Path folder;
  private static Upstream upstream;
  private static GatewayProcess gateway;
  private static Client client;

  @BeforeAll
  static void start() {
    upstream = new Upstream(200);
    gateway = startGateway();
    client = Client.withX(gateway).with("X-Tenant-Id", "acme");
  }

  /** Two routes keep answers for seconds, where the profile has hours and minutes. */
  private static GatewayProcess startGateway() {
    String file =
        GatewayProcess.file(
            folder,
            """
            profile: portal
            store: sqlite:portal.db
            tenant-header: X-Tenant-Id
            routes:
              - match: POST /expiring/**
                retention: 5s
              - match: POST /crashing/**
                lease: 6s
            """);
    return GatewayProcess.start(upstream.url(), folder, "--config", file);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  @Nested
  @DisplayName("Request Flow Diagrams")
  class Flows {

    @Test
    @DisplayName("Scenario 1: First Request (Cache Miss)")
    void first_request() {
      Reply first = client.post("/scenario-1", newKey());
      assertThat(first.status()).isEqualTo(200);
      assertThat(first.marked()).isFalse();
      assertThat(upstream.executions("/scenario-1"))
          .singleElement()
          .satisfies(
              execution -> {
                assertThat(execution.body()).isEqualTo(Client.JSON);
                assertThat(first.id()).isEqualTo("" + execution.id());
                assertThat(execution.fence()).isPositive();
                assertThat(execution.attempt()).isEqualTo(1);
              });
    }

    @Test
    @DisplayName("Scenario 2: Duplicate Request (Cache Hit)")
    void duplicate_request() {
      String key = newKey();
      Reply first = client.post("/scenario-2", key);
      Reply duplicate = client.post("/scenario-2", key);
      assertReplayed(duplicate, first);
      for (String field : List.of("content-type", "location", "x-part")) {
        assertThat(duplicate.all(field)).as(field).isNotEmpty().isEqualTo(first.all(field));
      }
      assertThat(upstream.executions("/scenario-2")).as("controller NEVER executed").hasSize(1);
    }

    @Test
    @DisplayName("Scenario 3: Concurrent Requests (Lock Conflict)")
    void concurrent_requests() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/scenario-3");
      CompletableFuture<Reply> first = client.start("/scenario-3", key);
      hold.awaitArrival();
      Reply second = client.post("/scenario-3", key);
      assertThat(second.status()).isEqualTo(409);
      assertThat(second.problem()).isEqualTo("still-running");
      assertThat(second.all("retry-after")).singleElement().asString().matches("[1-9]\\d*");
      hold.release();
      Reply answer = Client.await(first);
      assertThat(answer.status()).isEqualTo(200);
      assertReplayed(client.post("/scenario-3", key), answer);
      assertThat(upstream.executions("/scenario-3")).hasSize(1);
    }

    @Test
    @DisplayName("Scenario 4: Request Without Idempotency Key")
    void no_key() {
      Reply one = client.send("POST", "/scenario-4", null, Client.JSON);
      Reply two = client.send("POST", "/scenario-4", null, Client.JSON);
      assertThat(List.of(one.status(), two.status())).containsOnly(200);
      assertThat(two.marked()).isFalse();
      assertThat(two.id()).isNotEqualTo(one.id());
      assertThat(upstream.executions("/scenario-4"))
          .hasSize(2)
          .allSatisfy(execution -> assertThat(execution.fence()).isZero());
    }

    @Test
    @DisplayName("Scenario 5: Cache Expiration")
    void expiration() {
      String key = newKey();
      Reply first = client.post("/expiring/scenario-5", key);
      assertReplayed(client.post("/expiring/scenario-5", key), first);
      Reply later =
          Eventually.get(
              "the end of the retention",
              () -> client.post("/expiring/scenario-5", key),
              reply -> !reply.marked());
      assertThat(later.status()).isEqualTo(200);
      assertThat(later.id()).isNotEqualTo(first.id());
      assertThat(upstream.executions("/expiring/scenario-5")).hasSize(2);
    }
  }

  @Nested
  @DisplayName("Testing Scenarios")
  class Scenarios {

    @Test
    @DisplayName("Test 1: Duplicate Prevention")
    void duplicate_prevention() {
      Reply first = client.post("/test-1", "abc-123");
      assertThat(first.ok()).isTrue();
      Reply identical = client.post("/test-1", "abc-123");
      assertThat(identical.all("x-idempotency-replay")).containsExactly("true");
      assertReplayed(identical, first);
      assertThat(upstream.executions("/test-1")).as("no duplicate resource").hasSize(1);
    }

    @Test
    @DisplayName("Test 2: Concurrent Requests")
    void concurrent_requests() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/test-2");
      List<CompletableFuture<Reply>> requests =
          Stream.generate(() -> client.start("/test-2", key)).limit(6).toList();
      hold.awaitArrival();
      Eventually.until(
          "an answer to all but one",
          () -> requests.stream().filter(CompletableFuture::isDone).count() == 5);
      hold.release();
      List<Reply> replies = requests.stream().map(Client::await).toList();
      assertThat(replies).extracting(Reply::status).containsOnlyOnce(200).containsOnly(200, 409);
      Reply winner = replies.stream().filter(Reply::ok).findFirst().orElseThrow();
      replies.stream()
          .filter(reply -> reply.status() == 409)
          .forEach(conflict -> assertReplayed(client.post("/test-2", key), winner));
      assertThat(upstream.executions("/test-2")).as("single resource").hasSize(1);
    }

    @Test
    @DisplayName("Test 3: Network Retry")
    void network_retry() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/test-3");
      sendAndHangUp("/test-3", key, hold);
      hold.release();
      Reply retry =
          Eventually.get(
              "the result", () -> client.post("/test-3", key), reply -> reply.status() != 409);
      assertThat(retry.status()).isEqualTo(200);
      assertThat(retry.marked()).isTrue();
      assertThat(upstream.executions("/test-3")).as("executed only once").hasSize(1);
    }

    @Test
    @DisplayName("Test 4: Unique Keys")
    void unique_keys() {
      Reply one = client.post("/test-4", "key-1");
      Reply two = client.post("/test-4", "key-2");
      assertThat(List.of(one.status(), two.status())).containsOnly(200);
      assertThat(two.id()).isNotEqualTo(one.id());
      assertThat(upstream.executions("/test-4")).hasSize(2);
    }
  }

  @Nested
  @DisplayName("Error Handling Matrix")
  class Matrix {

    @Test
    @DisplayName("200 OK, no replay header; then 200 OK, X-Idempotency-Replay: true")
    void success() {
      String key = newKey();
      Reply first = client.post("/matrix/success", key);
      assertThat(first.status()).isEqualTo(200);
      assertThat(first.all("x-idempotency-replay")).isEmpty();
      assertReplayed(client.post("/matrix/success", key), first);
    }

    @ParameterizedTest(name = "{0}, no replay header; then {0}, X-Idempotency-Replay: true")
    @ValueSource(ints = {400, 404, 422, 500, 503})
    void cached_error(int status) {
      String key = newKey();
      String path = "/matrix/" + status;
      upstream.plan(path, status);
      Reply first = client.post(path, key);
      assertThat(first.status()).isEqualTo(status);
      assertThat(first.marked()).isFalse();
      assertReplayed(client.post(path, key), first);
      assertThat(upstream.executions(path)).hasSize(1);
    }

    @Test
    @DisplayName("409 Conflict: wait, retry with same key")
    void conflict() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/matrix/conflict");
      CompletableFuture<Reply> first = client.start("/matrix/conflict", key);
      hold.awaitArrival();
      Reply conflict = client.post("/matrix/conflict", key);
      assertThat(conflict.status()).isEqualTo(409);
      assertThat(conflict.marked()).isFalse();
      hold.release();
      assertReplayed(
          Eventually.get("it", () -> client.post("/matrix/conflict", key), Reply::ok),
          Client.await(first));
    }

    @Test
    @DisplayName("Network timeout: retry with same key (safe)")
    void network_timeout() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/matrix/timeout");
      sendAndHangUp("/matrix/timeout", key, hold);
      assertThat(client.post("/matrix/timeout", key).status()).isEqualTo(409);
      hold.release();
      Eventually.get("it", () -> client.post("/matrix/timeout", key), Reply::ok);
      assertThat(upstream.executions("/matrix/timeout")).hasSize(1);
    }
  }

  @Nested
  class Troubleshooting {

    @Test
    @DisplayName("Issue: 409 Conflict Persists (server crash mid-request), until the lock expires")
    void conflict_persists() throws Exception {
      String key = newKey();
      String path = "/crashing/persists";
      Hold hold = upstream.hold(path);
      try (GatewayProcess crashing = startGateway()) {
        CompletableFuture<Reply> lost = client.at(crashing).start(path, key);
        hold.awaitArrival();
        crashing.kill();
        assertThat(lost.handle((reply, failure) -> failure).join()).isNotNull();
      }
      Reply conflict = client.post(path, key);
      assertThat(conflict.status()).isEqualTo(409);
      assertThat(conflict.problem()).isEqualTo("still-running");
      Reply again = Eventually.get("the end of the lease", () -> client.post(path, key), Reply::ok);
      hold.release();
      assertThat(again.marked()).isFalse();
      assertThat(upstream.executions(path)).extracting(Execution::attempt).containsExactly(1, 2);
      assertReplayed(client.post(path, key), again);
    }

    @Test
    @DisplayName("Issue: Duplicate Operations Despite Key: different keys used on retry")
    void different_keys() {
      client.post("/despite/keys", newKey());
      assertThat(client.post("/despite/keys", newKey()).marked()).isFalse();
      assertThat(upstream.executions("/despite/keys")).hasSize(2);
    }

    @Test
    @DisplayName("Issue: Duplicate Operations Despite Key: different tenant context")
    void different_tenant() {
      String key = newKey();
      Client other = Client.withX(gateway).with("X-Tenant-Id", "umbrella");
      Reply ours = client.post("/despite/tenant", key);
      Reply theirs = other.post("/despite/tenant", key);
      assertThat(theirs.marked()).isFalse();
      assertThat(theirs.id()).isNotEqualTo(ours.id());
      assertReplayed(other.post("/despite/tenant", key), theirs);
      assertReplayed(client.post("/despite/tenant", key), ours);
    }

    @Test
    @DisplayName("Issue: Duplicate Operations Despite Key: key exceeds length limit (refused here)")
    void long_key() {
      assertThat(client.post("/despite/length", "k".repeat(LONGEST_KEY)).status()).isEqualTo(200);
      String tooLong = "k".repeat(LONGEST_KEY + 1);
      Reply refused = client.post("/despite/length", tooLong);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.problem()).isEqualTo("key-malformed");
      assertThat(refused.text()).contains("128").doesNotContain(tooLong);
      assertThat(upstream.executions("/despite/length")).hasSize(1);
    }
  }

  @ParameterizedTest(name = "{0} is in scope")
  @ValueSource(strings = {"POST", "PUT", "PATCH"})
  void in_scope(String method) {
    String key = newKey();
    Reply first = client.send(method, "/scope", key, Client.JSON);
    assertReplayed(client.send(method, "/scope", key, Client.JSON), first);
  }

  @ParameterizedTest(name = "{0} is not in scope")
  @ValueSource(strings = {"GET", "DELETE"})
  void out_of_scope(String method) {
    String key = newKey();
    Reply first = client.send(method, "/scope", key, null);
    Reply second = client.send(method, "/scope", key, null);
    assertThat(second.marked()).isFalse();
    assertThat(second.id()).isNotEmpty().isNotEqualTo(first.id());
  }

  @Test
  void without_a_tenant_nothing_is_done() {
    Reply refused = Client.withX(gateway).post("/no-tenant", newKey());
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.problem()).isEqualTo("tenant-missing");
    assertThat(upstream.executions("/no-tenant")).isEmpty();
  }

  /** A client that is cut off while it waits; when this returns, it is gone. */
  private static void sendAndHangUp(String path, String key, Hold hold) throws Exception {
    byte[] body = Client.JSON.getBytes(StandardCharsets.UTF_8);
    String head =
        """
        POST %s HTTP/1.1
        Host: 127.0.0.1
        X-Tenant-Id: acme
        X-Idempotency-Key: %s
        Content-Type: application/json
        Content-Length: %d

        """
            .formatted(path, key, body.length)
            .replace("\n", "\r\n");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.url().getPort())) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
      hold.awaitArrival();
    }
  }
}
