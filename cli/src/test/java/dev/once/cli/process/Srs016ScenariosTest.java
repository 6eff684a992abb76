package dev.once.cli.process;

import static dev.once.cli.process.Client.newKey;
import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
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

/** What clients of the profile {@code srs016} rely on, through a gateway process. */
@DisplayName("Profile srs016")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class Srs016ScenariosTest {

  @TempDir private static Path folder;
  private static Upstream upstream;
  private static GatewayProcess gateway;
  private static Client client;

  @BeforeAll
  static void start() {
    upstream = new Upstream(200);
    String file =
        GatewayProcess.file(
            folder,
            """
            profile: srs016
            store: sqlite:srs016.db
            routes:
              - match: POST /optimistic/**
                on-busy: wait
            """);
    gateway = GatewayProcess.start(upstream.url(), folder, "--config", file);
    client = Client.of(gateway);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  /** The same request twice, with one key, and both executed. */
  private static void assertNotApplied(Client client, String method, String path, String body) {
    String key = newKey();
    Reply first = client.send(method, path, key, body);
    Reply second = client.send(method, path, key, body);
    assertThat(first.status()).isEqualTo(200);
    assertThat(second.marked()).isFalse();
    assertThat(second.status()).isEqualTo(200);
    assertThat(upstream.executions())
        .filteredOn(execution -> execution.key().equals(key))
        .hasSize(2)
        .allSatisfy(execution -> assertThat(execution.fence()).isZero());
  }

  @Nested
  @DisplayName("HTTP status codes")
  class Statuses {

    @ParameterizedTest(name = "{0}: the request ran, and a retry gets {0} again")
    @ValueSource(ints = {200, 201})
    void success(int status) {
      String key = newKey();
      upstream.plan("/statuses/" + status, status);
      Reply first = client.post("/statuses/" + status, key);
      assertThat(first.status()).isEqualTo(status);
      assertReplayed(client.post("/statuses/" + status, key), first);
      assertThat(upstream.executions("/statuses/" + status)).hasSize(1);
    }

    @Test
    @DisplayName("409 Conflict: the first request still runs")
    void conflict() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/statuses/409");
      CompletableFuture<Reply> first = client.start("/statuses/409", key);
      hold.awaitArrival();
      Reply concurrent = client.post("/statuses/409", key);
      assertThat(concurrent.status()).isEqualTo(409);
      assertThat(concurrent.problem()).isEqualTo("still-running");
      hold.release();
      assertThat(Client.await(first).status()).isEqualTo(200);
    }

    @ParameterizedTest(name = "400 Bad Request: malformed key: {0}")
    @ValueSource(strings = {"1234567", "has_underscore", "has.a.point", "key:with:colons"})
    void invalid(String key) {
      Reply refused = client.post("/statuses/400", key);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.problem()).isEqualTo("key-malformed");
      assertThat(refused.text()).contains("8 to 255").doesNotContain(key);
      assertThat(upstream.executions("/statuses/400")).isEmpty();
    }
  }

  @Test
  @DisplayName("A key has 8 to 255 characters")
  void key_length() {
    for (String key : List.of("12345678", newKey(), "k".repeat(255))) {
      Reply first = client.post("/key-length", key);
      assertThat(first.status()).isEqualTo(200);
      assertReplayed(client.post("/key-length", key), first);
    }
    assertThat(client.post("/key-length", "k".repeat(256)).status()).isEqualTo(400);
  }

  @Test
  @DisplayName("A 5xx answer is not recorded: a retry runs")
  void failure() {
    String key = newKey();
    upstream.plan("/failing", 503);
    assertThat(client.post("/failing", key).status()).isEqualTo(503);
    Reply retry = client.post("/failing", key);
    assertThat(retry.status()).isEqualTo(200);
    assertThat(retry.marked()).isFalse();
    assertReplayed(client.post("/failing", key), retry);
  }

  @Nested
  @DisplayName("Concurrent requests")
  class Concurrent {

    @Test
    @DisplayName("Reject: the second request gets 409 Conflict")
    void pessimistic() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/pessimistic");
      CompletableFuture<Reply> first = client.start("/pessimistic", key);
      hold.awaitArrival();
      assertThat(client.post("/pessimistic", key).status()).isEqualTo(409);
      assertThat(first).as("goes on").isNotDone();
      hold.release();
      Reply answer = Client.await(first);
      assertReplayed(client.post("/pessimistic", key), answer);
    }

    @Test
    @DisplayName("Wait: the second request waits and gets the same answer")
    void optimistic() throws Exception {
      String key = newKey();
      Hold hold = upstream.hold("/optimistic/any");
      CompletableFuture<Reply> first = client.start("/optimistic/any", key);
      hold.awaitArrival();
      List<CompletableFuture<Reply>> others =
          Stream.generate(() -> client.start("/optimistic/any", key)).limit(3).toList();
      // Sent after them and answered: by now they have been looked at, too, and not turned away.
      assertThat(client.post("/optimistic/other", newKey()).ok()).isTrue();
      assertThat(others).noneMatch(CompletableFuture::isDone);
      hold.release();
      Reply answer = Client.await(first);
      others.forEach(other -> assertReplayed(Client.await(other), answer));
      assertThat(upstream.executions("/optimistic/any")).hasSize(1);
    }
  }

  @Nested
  @DisplayName("What is not in scope")
  class Bounds {

    @ParameterizedTest(name = "{0} is not in scope")
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS"})
    void safe_methods(String method) {
      assertNotApplied(client, method, "/bounds", null);
    }

    @ParameterizedTest(name = "{0}: no key is needed")
    @ValueSource(strings = {"PUT", "DELETE"})
    void idempotent_methods(String method) {
      assertNotApplied(client, method, "/bounds", Client.JSON);
    }

    @ParameterizedTest(name = "Requests without a body: {0}")
    @ValueSource(strings = {"POST", "PATCH"})
    void no_body(String method) {
      assertNotApplied(client, method, "/bounds", null);
    }

    @Test
    @DisplayName("Health checks")
    void health() {
      assertNotApplied(client, "GET", "/health", null);
    }

    @Test
    @DisplayName("WebSocket connections")
    void web_socket() throws Exception {
      CompletableFuture<String> echoed = new CompletableFuture<>();
      URI uri = URI.create(gateway.url().toString().replaceFirst("http", "ws") + "/socket");
      WebSocket socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .header("Idempotency-Key", newKey())
              .buildAsync(uri, new Echo(echoed))
              .get(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      socket.sendText("hello", true);
      assertThat(echoed.get(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("hello");
      socket.abort();
    }
  }

  private record Echo(CompletableFuture<String> heard) implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      heard.complete(text.toString());
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable failure) {
      heard.completeExceptionally(failure);
    }
  }

  @Test
  @DisplayName("PATCH /balance: runs once with a key")
  void patch() {
    String key = newKey();
    String body = "{\"op\":\"add\",\"amount\":10}";
    Reply first = client.send("PATCH", "/balance", key, body);
    assertReplayed(client.send("PATCH", "/balance", key, body), first);
    assertThat(upstream.executions("/balance")).hasSize(1);
  }

  @Nested
  @DisplayName("Configuration by environment variables")
  class Environment {

    @TempDir private Path ownFolder;

    private GatewayProcess start(Map<String, String> environment) {
      return GatewayProcess.start(upstream.url(), ownFolder, environment, "--profile", "srs016");
    }

    @Test
    @DisplayName("IDEMPOTENCY_ENABLED=false")
    void disabled() {
      try (GatewayProcess off = start(Map.of("IDEMPOTENCY_ENABLED", "false"))) {
        assertNotApplied(Client.of(off), "POST", "/disabled", Client.JSON);
        assertThat(Client.of(off).post("/disabled", "bad_key").status()).isEqualTo(200);
      }
    }

    @Test
    @DisplayName(
        "IDEMPOTENCY_KEY_TTL (in seconds), IDEMPOTENCY_KEY_MIN_LENGTH, IDEMPOTENCY_STORAGE=memory")
    void values() {
      Map<String, String> environment =
          Map.of(
              "IDEMPOTENCY_ENABLED", "true",
              "IDEMPOTENCY_KEY_TTL", "5",
              "IDEMPOTENCY_KEY_MIN_LENGTH", "12",
              "IDEMPOTENCY_STORAGE", "memory");
      try (GatewayProcess set = start(environment)) {
        Client other = Client.of(set);
        Reply refused = other.post("/environment", "12345678901");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.retention()).isEqualTo("PT5S");
        Reply first = other.post("/environment", "123456789012");
        assertReplayed(other.post("/environment", "123456789012"), first);
        Eventually.get(
            "the end of the retention",
            () -> other.post("/environment", "123456789012"),
            reply -> reply.ok() && !reply.marked() && !reply.id().equals(first.id()));
        assertThat(ownFolder).as("the memory leaves nothing").isEmptyDirectory();
      }
    }

    @Test
    @DisplayName("IDEMPOTENCY_STORAGE=database")
    void database() throws Exception {
      Map<String, String> environment = Map.of("IDEMPOTENCY_STORAGE", "database");
      String key = newKey();
      Reply first;
      try (GatewayProcess one = start(environment)) {
        first = Client.of(one).post("/database", key);
        one.kill();
      }
      assertThat(Files.exists(ownFolder.resolve("once.db"))).isTrue();
      try (GatewayProcess other = start(environment)) {
        assertReplayed(Client.of(other).post("/database", key), first);
      }
    }

    @Test
    @DisplayName("IDEMPOTENCY_STORAGE=redis")
    void redis() throws Exception {
      try (RedisServer redis = RedisServer.start()) {
        Map<String, String> environment =
            Map.of(
                "IDEMPOTENCY_STORAGE", "redis",
                "REDIS_HOST", "127.0.0.1",
                "REDIS_PORT", Integer.toString(redis.port()));
        String key = newKey();
        Reply first;
        try (GatewayProcess one = start(environment)) {
          first = Client.of(one).post("/redis", key);
          one.kill();
        }
        try (GatewayProcess other = start(environment)) {
          assertReplayed(Client.of(other).post("/redis", key), first);
        }
        assertThat(ownFolder).as("nothing is kept beside Redis").isEmptyDirectory();
      }
    }

    @Test
    @DisplayName("IDEMPOTENCY_STORAGE=redis, which is not there: one plain line")
    void noRedis() throws Exception {
      int port;
      try (RedisServer redis = RedisServer.start()) {
        port = redis.port();
      }
      try (GatewayProcess refused =
          GatewayProcess.launch(
              upstream.url(),
              ownFolder,
              Map.of("IDEMPOTENCY_STORAGE", "redis", "REDIS_PORT", Integer.toString(port)))) {
        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.output())
            .singleElement()
            .asString()
            .contains("redis://localhost:" + port, "Connection refused");
      }
    }
  }

  @Test
  @DisplayName("Metrics")
  void metrics() throws Exception {
    String key = newKey();
    client.post("/metrics", key);
    client.post("/metrics", key);
    assertThat(gateway.admin("/metrics").body())
        .containsPattern("(?m)^idempotency_keys_stored \\d")
        .containsPattern("(?m)^idempotency_hits(_total)? [1-9]")
        .containsPattern("(?m)^idempotency_misses(_total)? [1-9]")
        .containsPattern("(?m)^idempotency_errors(_total)? 0");
  }
}
