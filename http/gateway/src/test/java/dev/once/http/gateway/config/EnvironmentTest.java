package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.StoreUrl;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.http.semantics.HttpPolicy;
import dev.once.stores.redis.RedisSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class EnvironmentTest {

  @TempDir Path folder;
  TestSources sources;

  @BeforeEach
  void upstream() {
    sources = TestSources.withUpstream(folder);
  }

  @Test
  void the_names_that_services_are_known_to_use_are_understood() {
    HttpPolicy policy =
        sources
            .variable("IDEMPOTENCY_ENABLED", "false")
            .variable("IDEMPOTENCY_KEY_TTL", "86401")
            .variable("IDEMPOTENCY_KEY_MIN_LENGTH", "8")
            .load()
            .settings()
            .routes()
            .base();
    assertThat(policy.enabled()).isFalse();
    assertThat(policy.policy().retention()).isEqualTo(Duration.ofSeconds(86_401));
    assertThat(policy.keyRule().minLength()).isEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource({
    "memory, memory:",
    "database, sqlite:once.db",
    "sqlite, sqlite:once.db",
    "SQLITE, sqlite:once.db",
    "sqlite:/var/lib/once.db, sqlite:/var/lib/once.db",
  })
  void a_storage_is_a_kind_of_store(String storage, String store) {
    assertThat(sources.variable("IDEMPOTENCY_STORAGE", storage).load().settings().store())
        .hasToString(store);
  }

  @Test
  void a_redis_is_where_the_variables_of_redis_say() {
    sources
        .variable("IDEMPOTENCY_STORAGE", "redis")
        .variable("REDIS_HOST", "cache.example")
        .variable("REDIS_PORT", "6380")
        .variable("REDIS_PASSWORD", "p@ss/w ord")
        .variable("REDIS_DATABASE", "2")
        .variable("REDIS_TIMEOUT", "5.0");
    StoreUrl store = sources.load().settings().store();
    RedisSettings redis = RedisSettings.parse(store.text());
    assertThat(redis.nodes()).containsExactly(new RedisSettings.Node("cache.example", 6380));
    assertThat(redis.password()).isEqualTo("p@ss/w ord");
    assertThat(redis.database()).isEqualTo(2);
    assertThat(redis.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(redis.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(store)
        .hasToString("redis://****@cache.example:6380/2?timeout=5000ms&connect-timeout=5000ms");
  }

  @Test
  void a_redis_is_on_this_machine_unless_said_otherwise() {
    sources.variable("IDEMPOTENCY_STORAGE", "redis").variable("REDIS_PASSWORD", "");
    assertThat(sources.load().settings().store()).hasToString("redis://localhost:6379/0");
  }

  @Test
  void bad_variables_of_redis_are_told_by_their_names() {
    sources
        .variable("IDEMPOTENCY_STORAGE", "redis")
        .variable("REDIS_HOST", "redis://cache")
        .variable("REDIS_PORT", "many")
        .variable("REDIS_DATABASE", "-1")
        .variable("REDIS_TIMEOUT", "0");
    assertThat(sources.problems())
        .containsExactlyInAnyOrder(
            "REDIS_HOST: 'redis://cache' (expected: the name or the address of a host, alone)",
            "REDIS_PORT: 'many' (expected: 1 to 65535)",
            "REDIS_DATABASE: '-1' (expected: 0 to 2147483647)",
            "REDIS_TIMEOUT: '0' (expected: seconds such as 5.0, 0.001 to 3600, or a duration such"
                + " as 500ms)");
  }

  @Test
  void variables_of_redis_are_not_ours_unless_the_storage_is_redis() {
    sources.variable("REDIS_PORT", "many").variable("IDEMPOTENCY_STORAGE", "memory");
    assertThat(sources.load().settings().store()).hasToString("memory:");
  }

  @Test
  void a_cache_and_a_fallback_have_variables_too() {
    sources
        .variable("ONCE_STORE", "redis://h")
        .variable("ONCE_FALLBACK", "postgresql://me@db/once");
    assertThat(sources.load().settings().fallback()).hasToString("postgresql://****@db/once");
    TestSources cached =
        TestSources.withUpstream(folder).file("store: mariadb://db/once", "cache: redis://h");
    assertThat(cached.load().settings().cache()).hasToString("redis://h");
  }

  @Test
  void a_bad_value_names_the_variable() {
    sources.variable("IDEMPOTENCY_KEY_TTL", "soon").variable("IDEMPOTENCY_STORAGE", "disk");
    assertThat(sources.problems())
        .containsExactly(
            "IDEMPOTENCY_KEY_TTL: 'soon' (expected: a duration such as 30s, 5m, 24h or 7d)",
            "IDEMPOTENCY_STORAGE: 'disk' (expected: " + Stores.expected(StoreRole.STORE) + ")");
  }

  @Test
  void a_variable_of_ours_that_nobody_knows_is_refused() {
    sources.variable("ONCE_UPSTRAEM", "x").variable("ONCE_COLOUR", "blue");
    assertThat(sources.problems())
        .containsExactly(
            "ONCE_COLOUR: unknown (expected: a setting such as ONCE_UPSTREAM or ONCE_RETENTION)",
            "ONCE_UPSTRAEM: unknown (did you mean ONCE_UPSTREAM?)");
  }

  @Test
  void what_is_not_ours_is_left_alone() {
    sources
        .variable("ONCE_JAVA_OPTS", "-Xmx1g")
        .variable("ONCE_LEASE", "")
        .variable("PATH", "/bin")
        .variable("IDEMPOTENCY_TABLE", "keys");
    assertThat(sources.problems()).isEmpty();
  }

  @Test
  void two_variables_for_one_setting_are_refused() {
    sources.variable("IDEMPOTENCY_KEY_TTL", "60").variable("ONCE_TTL", "1m");
    assertThat(sources.problems())
        .containsExactly("ONCE_TTL: is the same as IDEMPOTENCY_KEY_TTL (expected: one of them)");
  }
}
