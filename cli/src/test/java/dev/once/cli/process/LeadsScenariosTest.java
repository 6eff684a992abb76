package dev.once.cli.process;

import static dev.once.cli.process.Client.newKey;
import static dev.once.cli.process.Reply.assertReplayed;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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

/** What clients of the profile {@code leads} rely on, through a gateway process. */
@DisplayName("Profile leads")
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class LeadsScenariosTest {

  private static final String LEADS = "/api/leads";
  private static final String DATA = "{\"name\":\"Test\",\"email\":\"test@example.com\"}";
  private static final String OTHER_DATA = "{\"name\":\"Test2\",\"email\":\"test@example.com\"}";

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
            profile: leads
            store: sqlite:leads.db
            store-timeout: 2s
            log-level: info
            routes:
              - match: POST /short/**
                retention: 5s
            """);
    gateway = GatewayProcess.start(upstream.url(), folder, "--config", file);
    client = Client.withX(gateway);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static void assertAnother(Reply later, Reply first) {
    assertThat(later.status()).isEqualTo(201);
    assertThat(later.marked()).isFalse();
    assertThat(later.id()).isNotEmpty().isNotEqualTo(first.id());
  }

  @Nested
  @DisplayName("Manual Testing")
  class Manual {

    @Test
    @DisplayName("Test Duplicate Detection")
    void duplicates() {
      String path = LEADS + "/duplicates";
      Reply first = client.post(path, "550e8400-e29b-41d4-a716-446655440000", DATA);
      Reply second = client.post(path, "550e8400-e29b-41d4-a716-446655440000", DATA);
      assertThat(first.status()).isEqualTo(201);
      assertReplayed(second, first);
      assertThat(upstream.executions(path)).hasSize(1);
    }

    @Test
    @DisplayName("Test Different Data")
    void different_data() {
      String path = LEADS + "/different";
      Reply first = client.post(path, "550e8400-e29b-41d4-a716-446655440000", DATA);
      Reply other = client.post(path, "550e8400-e29b-41d4-a716-446655440000", OTHER_DATA);
      assertAnother(other, first);
      assertReplayed(client.post(path, "550e8400-e29b-41d4-a716-446655440000", DATA), first);
      assertReplayed(client.post(path, "550e8400-e29b-41d4-a716-446655440000", OTHER_DATA), other);
      assertThat(upstream.executions(path)).hasSize(2);
    }
  }

  @Nested
  @DisplayName("1. Idempotency Key Validation")
  class Keys {

    @Test
    @DisplayName("Must be present: 400 Bad Request")
    void missing() {
      Reply refused = client.send("POST", LEADS + "/missing", null, DATA);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.problem()).isEqualTo("key-missing");
      assertThat(upstream.executions(LEADS + "/missing")).isEmpty();
      gateway.awaitOutput("WARN");
    }

    @ParameterizedTest(name = "{0} is a UUID v4")
    @ValueSource(
        strings = {
          "7ba7c8d5-9c4c-4c8c-bf9e-5d5f5f5f5f5f",
          "7BA7C8D5-9C4C-4C8C-8F9E-5D5F5F5F5F5F",
          "7ba7C8d5-9c4c-4C8c-Af9e-5d5f5F5f5f50"
        })
    void good(String key) {
      assertThat(client.post(LEADS + "/good", key, DATA).status()).isEqualTo(201);
    }

    @ParameterizedTest(name = "{0} is not: 400 Bad Request, and the key is not repeated")
    @ValueSource(
        strings = {
          "7ba7c8d5-9c4c-1c8c-bf9e-5d5f5f5f5f5f",
          "7ba7c8d5-9c4c-4c8c-cf9e-5d5f5f5f5f5f",
          "7ba7c8d59c4c4c8cbf9e5d5f5f5f5f5f",
          "7ba7c8d5-9c4c-4c8c-bf9e-5d5f5f5f5f5g",
          "not-a-uuid-at-all"
        })
    void bad(String key) {
      Reply refused = client.post(LEADS + "/bad", key, DATA);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.problem()).isEqualTo("key-malformed");
      assertThat(refused.text()).contains("UUID version 4").doesNotContain(key);
      assertThat(upstream.executions(LEADS + "/bad")).isEmpty();
    }
  }

  @Nested
  @DisplayName("2. Request Hash Generation: Normalization Process")
  class Normalization {

    @Test
    @DisplayName("JSON: parse, sort keys recursively, re-encode")
    void json() {
      String key = newKey();
      String path = LEADS + "/json";
      Reply first = client.post(path, key, "{\"b\":{\"y\":1.0,\"x\":\"caf\u00e9\"},\"a\":[2,1]}");
      String same = "{ \"a\": [ 2, 1 ],\n \"b\": {\"x\":\"caf\\u00e9\", \"y\": 1} }";
      assertReplayed(client.post(path, key, same), first);
      String other = "{\"a\":[1,2],\"b\":{\"x\":\"caf\u00e9\",\"y\":1}}";
      assertAnother(client.post(path, key, other), first);
    }

    @Test
    @DisplayName("Form Data: parse, sort keys, rebuild query string")
    void form() {
      String key = newKey();
      String path = LEADS + "/form";
      Client form = client.with("Content-Type", "application/x-www-form-urlencoded");
      Reply first = form.post(path, key, "name=John+Doe&email=john%40example.com");
      assertReplayed(form.post(path, key, "email=john@example.com&name=John%20Doe"), first);
      assertAnother(form.post(path, key, "email=jane@example.com&name=John%20Doe"), first);
    }

    @Test
    @DisplayName("Other: use raw body as-is")
    void other() {
      String key = newKey();
      String path = LEADS + "/other";
      Client text = client.with("Content-Type", "text/plain");
      Reply first = text.post(path, key, "{\"a\":1}");
      assertReplayed(text.post(path, key, "{\"a\":1}"), first);
      assertAnother(text.post(path, key, "{ \"a\":1}"), first);
    }
  }

  @Test
  @DisplayName("4. Duplicate Detection: time window, 5 minutes from first request (5 seconds here)")
  void window() {
    String key = newKey();
    Reply first = client.post("/short/window", key, DATA);
    assertReplayed(client.post("/short/window", key, DATA), first);
    Reply later =
        Eventually.get(
            "the end of the window",
            () -> client.post("/short/window", key, DATA),
            reply -> !reply.marked());
    assertAnother(later, first);
    assertThat(client.post(LEADS, "bad", DATA).retention()).isEqualTo("PT5M");
  }

  @Test
  @DisplayName("A 4xx answer is cached, a 5xx answer is not: the retry is processed")
  void errors() {
    String key = newKey();
    upstream.plan(LEADS + "/invalid", 422);
    Reply rejected = client.post(LEADS + "/invalid", key, DATA);
    assertThat(rejected.status()).isEqualTo(422);
    assertReplayed(client.post(LEADS + "/invalid", key, DATA), rejected);
    upstream.plan(LEADS + "/failing", 500);
    Reply failed = client.post(LEADS + "/failing", key, DATA);
    assertThat(failed.status()).isEqualTo(500);
    Reply retry = client.post(LEADS + "/failing", key, DATA);
    assertAnother(retry, failed);
    assertReplayed(client.post(LEADS + "/failing", key, DATA), retry);
  }

  @Test
  @DisplayName(
      "Monitoring and Logging: keys are masked (550e****0000), address and agent are there")
  void logging() {
    String key = "550e8400-e29b-41d4-a716-" + newKey().substring(24, 32) + "0000";
    Client agent = client.with("User-Agent", "leads-agent");
    agent.post(LEADS + "/log", key, DATA);
    agent.post(LEADS + "/log", key, DATA);
    String line = gateway.awaitOutput("replayed 550e****0000#");
    assertThat(line).contains(" POST /api/leads/log", "INFO", "127.0.0.1", "leads-agent", "201");
    assertThat(gateway.output()).noneMatch(any -> any.contains(key));
  }

  @Nested
  @DisplayName("Redis Failures")
  class StoreFailures {

    @Test
    @DisplayName("Graceful Degradation, and Recovery without manual intervention")
    void degradation() throws Exception {
      String key = newKey();
      String path = LEADS + "/degraded";
      try (LockedDatabase locked = new LockedDatabase(folder.resolve("leads.db"))) {
        Reply first = client.post(path, key, DATA);
        assertThat(first.status()).as("requests proceed normally").isEqualTo(201);
        assertAnother(client.post(path, key, DATA), first);
        assertThat(upstream.executions(path))
            .as("no idempotency protection")
            .hasSize(2)
            .allSatisfy(execution -> assertThat(execution.fence()).isZero());
        assertThat(gateway.awaitOutput("UNPROTECTED")).contains("ERROR").doesNotContain(key);
        assertThat(locked).isNotNull();
      }
      String later = LEADS + "/recovered";
      Eventually.until("a protected request", () -> isProtected(later));
    }

    /** A new key each time; a request that was not protected shows nothing. */
    private boolean isProtected(String path) {
      String key = newKey();
      Reply first = client.post(path, key, DATA);
      Reply second = client.post(path, key, DATA);
      return second.marked() && second.id().equals(first.id());
    }
  }
}
