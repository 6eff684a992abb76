package dev.once.cli.process;

import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.UUID;
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

/** What clients of the profile {@code booking} rely on, with the example file for bookings. */
@DisplayName("Profile booking")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class BookingScenariosTest {

  private static final Path EXAMPLE =
      Path.of("..", "examples", "gateway", "booking.yaml").toAbsolutePath().normalize();

  private static final String BODY = "{\"holdId\":\"hold_123\",\"paymentMethodId\":\"pm_456\"}";
  private static final int LARGEST_KEPT = 1024;

  @TempDir private static Path folder;
  private static Upstream upstream;
  private static GatewayProcess gateway;
  private static Client client;

  @BeforeAll
  static void start() {
    upstream = new Upstream(201);
    gateway =
        GatewayProcess.start(
            upstream.url(),
            folder,
            "--config",
            EXAMPLE.toString(),
            "--store",
            "sqlite:booking.db",
            "--store-timeout",
            "2s",
            "--max-stored-body",
            String.valueOf(LARGEST_KEPT));
    client = Client.of(gateway);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static String newKey() {
    return "usr_abc123:booking.create:res_%s:1704067200000".formatted(UUID.randomUUID());
  }

  @Nested
  @DisplayName("Idempotency Key Format")
  class Format {

    @ParameterizedTest(name = "{0}")
    @ValueSource(
        strings = {
          "usr_abc123:booking.create:res_xyz:1704067200000",
          "usr_abc123:payment.record:bkg_456:1704067200001",
          "usr_abc123:booking.confirm:bkg_789:1704067200002"
        })
    void examples(String key) {
      Reply first = client.post("/bookings", key, BODY);
      assertThat(first.status()).isEqualTo(201);
      assertReplayed(client.post("/bookings", key, BODY), first);
    }

    @ParameterizedTest(name = "{0} is refused")
    @ValueSource(
        strings = {
          "550e8400-e29b-41d4-a716-446655440000",
          "usr_abc123:booking.create:1704067200000",
          "usr_abc123:booking.create:res_xyz:yesterday",
          "usr_abc123::res_xyz:1704067200000",
          "usr_abc123:booking.create:res:xyz:1704067200000"
        })
    void others(String key) {
      Reply refused = client.post("/bookings/bad", key, BODY);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.problem()).isEqualTo("key-malformed");
      assertThat(refused.text()).contains("{clientTimestamp}").doesNotContain(key);
      assertThat(upstream.executions("/bookings/bad")).isEmpty();
    }
  }

  @ParameterizedTest(name = "Required Endpoints: {0} {1}")
  @CsvSource({
    "POST, /bookings",
    "POST, /bookings/17/confirm",
    "DELETE, /bookings/17",
    "POST, /bookings/17/check-in",
    "POST, /offline-payments",
    "POST, /refunds",
    "POST, /payment-intents",
    "POST, /coach-blocks",
    "POST, /coaches/3/students"
  })
  void required(String method, String path) {
    String body = method.equals("DELETE") ? null : BODY;
    int before = upstream.executions(path).size();
    Reply refused = client.send(method, path, null, body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.problem()).isEqualTo("key-missing");
    String key = newKey();
    Reply first = client.send(method, path, key, body);
    assertThat(first.status()).isEqualTo(201);
    assertReplayed(client.send(method, path, key, body), first);
    assertThat(upstream.executions(path)).hasSize(before + 1);
  }

  @Test
  void a_route_that_is_switched_off_needs_no_key() {
    assertThat(client.send("POST", "/auth/login", null, BODY).status()).isEqualTo(201);
    assertThat(client.send("POST", "/auth/login", newKey(), BODY).marked()).isFalse();
    assertThat(upstream.executions("/auth/login")).hasSize(2);
  }

  @ParameterizedTest(name = "TTL Configuration: {0} keeps for {1}")
  @CsvSource({
    "/bookings, PT24H",
    "/offline-payments, PT72H",
    "/refunds, PT72H",
    "/payment-intents, PT72H"
  })
  void retention(String path, String expected) {
    assertThat(client.send("POST", path, null, BODY).retention()).isEqualTo(expected);
  }

  @ParameterizedTest(name = "Remove lock on failure (allow retry): {0}")
  @ValueSource(ints = {400, 404, 409, 500, 503})
  void failure(int status) {
    String path = "/bookings/" + status + "/confirm";
    String key = newKey();
    upstream.plan(path, status, status);
    Reply first = client.post(path, key, BODY);
    Reply second = client.post(path, key, BODY);
    Reply third = client.post(path, key, BODY);
    assertThat(first.status()).isEqualTo(status);
    assertThat(second.status()).isEqualTo(status);
    assertThat(second.id()).as("it ran again").isNotEqualTo(first.id());
    assertThat(third.status()).isEqualTo(201);
    assertReplayed(client.post(path, key, BODY), third);
    assertThat(upstream.executions(path)).hasSize(3);
  }

  @Nested
  @DisplayName("Edge Cases")
  class EdgeCases {

    @Test
    @DisplayName(
        "1. Redis Unavailable: continue processing, but not payments (the example's choice)")
    void unavailable() throws Exception {
      try (LockedDatabase locked = new LockedDatabase(folder.resolve("booking.db"))) {
        Reply booked = client.post("/bookings/unavailable", newKey(), BODY);
        assertThat(booked.status()).isEqualTo(201);
        assertThat(gateway.awaitOutput("UNPROTECTED usr_****0000#"))
            .contains(" POST /bookings/unavailable", "ERROR");
        Reply refused = client.post("/refunds", newKey(), "{\"unavailable\":true}");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.problem()).isEqualTo("store-down");
        assertThat(refused.all("retry-after")).hasSize(1);
        assertThat(locked).isNotNull();
      }
      assertThat(upstream.executions("/refunds"))
          .noneMatch(execution -> execution.body().contains("unavailable"));
      Eventually.until("recovery", () -> client.post("/refunds", newKey(), BODY).ok());
    }

    @Test
    @DisplayName("2. Response Too Large")
    void too_large() throws Exception {
      String key = newKey();
      upstream.planSize("/bookings/large", 100 * LARGEST_KEPT);
      Reply first = client.post("/bookings/large", key, BODY);
      assertThat(first.status()).isEqualTo(201);
      assertThat(first.bytes().size()).isGreaterThan(100 * LARGEST_KEPT);
      Reply cached = client.post("/bookings/large", key, BODY);
      assertThat(cached.status()).isEqualTo(201);
      assertThat(cached.marked()).isTrue();
      byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(first.bytes().toArray());
      assertThat(cached.text())
          .contains("not kept")
          .contains("\"get\":\"" + first.all("location").get(0) + "\"")
          .contains("\"sha256\":\"" + Bytes.wrap(sha256).toHex() + "\"")
          .contains("\"bytes\":" + first.bytes().size());
      assertThat(upstream.executions("/bookings/large")).as("never run again").hasSize(1);
    }

    @ParameterizedTest(name = "3. Clock Skew: {0} is as good as any")
    @ValueSource(strings = {"0", "1", "9999999999999999999999"})
    void clock_skew(String timestamp) {
      String key = "usr_1:booking.create:res_skew:" + timestamp;
      Reply first = client.post("/bookings/skew", key, BODY);
      assertThat(first.status()).isEqualTo(201);
      assertReplayed(client.post("/bookings/skew", key, BODY), first);
    }

    @Test
    @DisplayName("3. Clock Skew: keys are unique by full string match")
    void full_match() {
      Reply one = client.post("/bookings/match", "u:o:r:1704067200000", BODY);
      Reply two = client.post("/bookings/match", "u:o:r:01704067200000", BODY);
      assertThat(two.marked()).isFalse();
      assertThat(two.id()).isNotEqualTo(one.id());
    }

    @Test
    @DisplayName(
        "4. Key Collision: second request gets 409 Conflict, and goes through with a new key")
    void collision() throws Exception {
      String path = "/bookings/collision";
      String key = newKey();
      Hold hold = upstream.hold(path);
      CompletableFuture<Reply> first = client.start("POST", path, key, BODY);
      hold.awaitArrival();
      Reply second = client.post(path, key, BODY);
      assertThat(second.status()).isEqualTo(409);
      Reply another = client.post(path, key, "{\"holdId\":\"another\"}");
      assertThat(another.status()).as("a collision of two different requests").isEqualTo(422);
      assertThat(client.post(path, newKey(), BODY).status()).isEqualTo(201);
      hold.release();
      assertThat(Client.await(first).status()).isEqualTo(201);
      assertThat(upstream.executions(path)).hasSize(2);
    }
  }

  @Test
  @DisplayName("Metrics to Track")
  void metrics() throws Exception {
    String metrics = gateway.admin("/metrics").body();
    assertThat(metrics)
        .contains("idempotency_cache_hit_total")
        .contains("idempotency_cache_miss_total")
        .contains("idempotency_conflict_total")
        .contains("idempotency_fallback_total");
  }
}
