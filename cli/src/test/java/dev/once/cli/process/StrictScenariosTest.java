package dev.once.cli.process;

import static dev.once.cli.process.Client.newKey;
import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients of the profile {@code strict} rely on, through a gateway process. */
@DisplayName("Profile strict")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class StrictScenariosTest {

  @TempDir private static Path folder;
  private static Upstream upstream;
  private static GatewayProcess gateway;
  private static Client client;

  @BeforeAll
  static void start() {
    upstream = new Upstream(201);
    String file =
        GatewayProcess.file(
            folder,
            """
            profile: strict
            store: sqlite:strict.db
            routes:
              - match: POST /early/**
                busy-status: 425
              - match: POST /critical/**
                critical-headers: X-Currency
              - match: POST /status-only/**
                keep: status-only
              - match: POST /long/**
                retention: 72h
              - match: POST /short/**
                retention: 3s
            """);
    gateway = GatewayProcess.start(upstream.url(), folder, "--config", file);
    client = Client.of(gateway);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static String status(String key) throws Exception {
    return LockedDatabase.status(folder.resolve("strict.db"), key);
  }

  @ParameterizedTest(
      name = "Every mutation needs an Idempotency-Key; a retry gets the same answer: {0}")
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
  void all_mutations(String method) {
    String path = "/mutations/" + method;
    Reply refused = client.send(method, path, null, Client.JSON);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.problem()).isEqualTo("key-missing");
    assertThat(upstream.executions(path)).isEmpty();
    String key = newKey();
    Reply first = client.send(method, path, key, Client.JSON);
    assertThat(first.status()).isEqualTo(201);
    assertReplayed(client.send(method, path, key, Client.JSON), first);
    assertThat(upstream.executions(path)).hasSize(1);
  }

  @Nested
  @DisplayName("A retry with another fingerprint is refused")
  class Fingerprint {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
      "method, PUT, /hash/method, '{\"a\":1}'",
      "route, POST, /hash/elsewhere, '{\"a\":1}'",
      "query, POST, /hash/query?a=1, '{\"a\":1}'",
      "canonicalized body, POST, /hash/body, '{\"a\":2}'"
    })
    void other(String part, String method, String path, String body) {
      String key = newKey();
      String where = part.equals("route") ? "/hash/route" : path.replaceFirst("\\?.*", "");
      Reply first = client.post(where, key, "{\"a\":1}");
      Reply refused = client.send(method, path, key, body);
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.problem()).isEqualTo("key-reused");
      assertReplayed(client.post(where, key, "{ \"a\" : 1 }"), first);
      assertThat(upstream.executions()).filteredOn(e -> e.key().equals(key)).hasSize(1);
    }

    @Test
    void critical_headers() {
      String key = newKey();
      Client dollars = client.with("X-Currency", "USD");
      Reply first = dollars.post("/critical/header", key);
      assertThat(client.with("X-Currency", "EUR").post("/critical/header", key).status())
          .isEqualTo(422);
      assertThat(client.post("/critical/header", key).status()).isEqualTo(422);
      assertReplayed(dollars.with("X-Other", "any").post("/critical/header", key), first);
    }

    @Test
    void another_request_is_refused_as_such_also_while_the_first_one_runs() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/hash/running");
      CompletableFuture<Reply> first = client.start("/hash/running", key);
      hold.awaitArrival();
      assertThat(client.post("/hash/running", key, "{\"b\":2}").status()).isEqualTo(422);
      assertThat(client.post("/hash/running", key).status()).isEqualTo(409);
      hold.release();
      assertThat(Client.await(first).status()).isEqualTo(201);
    }
  }

  @Nested
  @DisplayName("Life cycle")
  class LifeCycle {

    @ParameterizedTest(name = "Retry of what still runs: {1}")
    @CsvSource({"/life/processing, 409", "/early/processing, 425"})
    void processing(String path, int busy) throws Exception {
      String key = newKey();
      Hold hold = upstream.hold(path);
      CompletableFuture<Reply> first = client.start(path, key);
      hold.awaitArrival();
      assertThat(status(key)).isEqualTo("processing");
      Reply repeated = client.post(path, key);
      assertThat(repeated.status()).isEqualTo(busy);
      assertThat(repeated.problem()).isEqualTo("still-running");
      assertThat(repeated.all("retry-after")).hasSize(1);
      hold.release();
      Reply answer = Client.await(first);
      assertThat(status(key)).isEqualTo("done");
      assertReplayed(client.post(path, key), answer);
    }

    @Test
    @DisplayName("Success: done, code and body are recorded; a retry gets the same answer")
    void done() throws Exception {
      String key = newKey();
      Reply first = client.post("/life/done", key);
      assertThat(status(key)).isEqualTo("done");
      assertReplayed(client.post("/life/done", key), first);
    }

    @ParameterizedTest(
        name = "Error: failed, its details are recorded; a retry gets the same error: {0}")
    @ValueSource(ints = {404, 500})
    void failed(int status) throws Exception {
      String key = newKey();
      String path = "/life/failed/" + status;
      upstream.plan(path, status);
      Reply first = client.post(path, key);
      assertThat(first.status()).isEqualTo(status);
      assertThat(status(key)).isEqualTo("failed");
      Reply repeated = client.post(path, key);
      assertReplayed(repeated, first);
      assertThat(repeated.id()).as("the details").isNotEmpty();
      assertThat(upstream.executions(path)).hasSize(1);
    }
  }

  @Test
  @DisplayName("The retention can be set: 24 to 72 hours")
  void retention_is_published() {
    assertThat(client.send("POST", "/any", null, Client.JSON).retention()).isEqualTo("PT24H");
    assertThat(client.send("POST", "/long/any", null, Client.JSON).retention()).isEqualTo("PT72H");
  }

  @Test
  @DisplayName("After the retention the key is new")
  void expired() {
    String key = newKey();
    Reply first = client.post("/short/ttl", key);
    Reply later =
        Eventually.get(
            "the end of the retention",
            () -> client.post("/short/ttl", key),
            reply -> !reply.marked());
    assertThat(later.status()).isEqualTo(201);
    assertThat(later.id()).isNotEqualTo(first.id());
  }

  @Test
  @DisplayName("Metrics: idempotency_conflicts_total, …processing_gauge, …retries_total")
  void metrics() throws Exception {
    String key = newKey();
    client.post("/metrics", key);
    client.post("/metrics", key);
    client.post("/metrics", key, "{\"other\":1}");
    assertThat(gateway.admin("/metrics").body())
        .containsPattern("(?m)^idempotency_conflicts_total [1-9]")
        .containsPattern("(?m)^idempotency_processing_gauge \\d")
        .containsPattern("(?m)^idempotency_retries_total [1-9]");
  }

  @Test
  @DisplayName("Only the status is kept, without the body")
  void status_only() {
    String key = newKey();
    Reply first = client.post("/status-only/any", key);
    Reply repeated = client.post("/status-only/any", key);
    assertThat(repeated.status()).isEqualTo(first.status());
    assertThat(repeated.marked()).isTrue();
    assertThat(repeated.id()).as("no response").isEmpty();
    assertThat(upstream.executions("/status-only/any")).hasSize(1);
  }
}
