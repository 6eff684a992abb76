package dev.once.http.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.semantics.HttpPolicy;
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
  Places places;

  @BeforeEach
  void upstream() {
    places = Places.withUpstream(folder);
  }

  @Test
  void the_names_that_services_are_known_to_use_are_understood() {
    HttpPolicy policy =
        places
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
    assertThat(places.variable("IDEMPOTENCY_STORAGE", storage).load().settings().store())
        .isEqualTo(store);
  }

  @Test
  void redis_is_refused() {
    places.variable("IDEMPOTENCY_STORAGE", "redis").variable("REDIS_HOST", "cache");
    assertThat(places.problems())
        .containsExactly(
            "IDEMPOTENCY_STORAGE: 'redis' is not built yet, nor are REDIS_HOST, REDIS_PORT,"
                + " REDIS_PASSWORD, REDIS_DATABASE and REDIS_TIMEOUT"
                + " (expected: memory, sqlite, database or the URL of a store)");
  }

  @Test
  void a_bad_value_names_the_variable() {
    places.variable("IDEMPOTENCY_KEY_TTL", "soon").variable("IDEMPOTENCY_STORAGE", "disk");
    assertThat(places.problems())
        .containsExactly(
            "IDEMPOTENCY_KEY_TTL: 'soon' (expected: a duration such as 30s, 5m, 24h or 7d)",
            "IDEMPOTENCY_STORAGE: 'disk' (expected: memory: or sqlite:FILE)");
  }

  @Test
  void a_variable_of_ours_that_nobody_knows_is_refused() {
    places.variable("ONCE_UPSTRAEM", "x").variable("ONCE_COLOUR", "blue");
    assertThat(places.problems())
        .containsExactly(
            "ONCE_COLOUR: unknown (expected: a setting such as ONCE_UPSTREAM or ONCE_RETENTION)",
            "ONCE_UPSTRAEM: unknown (did you mean ONCE_UPSTREAM?)");
  }

  @Test
  void what_is_not_ours_is_left_alone() {
    places
        .variable("ONCE_JAVA_OPTS", "-Xmx1g")
        .variable("ONCE_LEASE", "")
        .variable("PATH", "/bin")
        .variable("IDEMPOTENCY_TABLE", "keys");
    assertThat(places.problems()).isEmpty();
  }

  @Test
  void two_variables_for_one_setting_are_refused() {
    places.variable("IDEMPOTENCY_KEY_TTL", "60").variable("ONCE_TTL", "1m");
    assertThat(places.problems())
        .containsExactly("ONCE_TTL: is the same as IDEMPOTENCY_KEY_TTL (expected: one of them)");
  }
}
