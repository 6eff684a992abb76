package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.core.store.Stores;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisStore;
import dev.once.stores.tiered.TieredStore;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** Where the keys are kept, and that one line of the log says so. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class StoreTest {

  private static Application plain(Class<?>... beans) {
    return Application.of(beans).withoutWeb().with("once.store.url", null);
  }

  /** Starts it, runs an operation twice by its bean, and says what the store is. */
  private static Class<?> assertRunsOnce(Application application) throws Exception {
    try (ConfigurableApplicationContext context = application.start()) {
      Operation operation =
          Operation.of(
              Scope.GLOBAL,
              Key.of(UUID.randomUUID().toString()),
              Fingerprint.of("x"),
              Policy.DEFAULT);
      Once once = context.getBean(Once.class);
      Result first = once.run(operation, execution -> Answer.success(200, Body.of("1")));
      Result second = once.run(operation, execution -> Answer.success(200, Body.of("2")));
      assertThat(first).isInstanceOf(Result.Executed.class);
      assertThat(second).isEqualTo(new Result.Replayed(Answer.success(200, Body.of("1"))));
      return context.getBean(Store.class).getClass();
    }
  }

  @Test
  void the_dependency_alone_keeps_keys_in_a_file(CapturedOutput output) throws Exception {
    Path file = Path.of("once.db").toAbsolutePath();
    assertThat(assertRunsOnce(plain())).isEqualTo(JdbcStore.class);
    assertThat(output)
        .containsOnlyOnce(
            "Idempotency keys are kept in the file "
                + file
                + ": there is neither a DataSource nor a Redis connection factory.");
    assertThat(file).exists();
    for (String suffix : new String[] {"", "-wal", "-shm"}) {
      Files.deleteIfExists(Path.of(file + suffix));
    }
  }

  @Test
  void a_url_is_stronger_than_what_is_there(@TempDir Path folder, CapturedOutput output)
      throws Exception {
    Path file = folder.resolve("keys.db");
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with("spring.datasource.url", "jdbc:postgresql://localhost:1/nowhere")
            .with("once.store.url", "sqlite:" + file);
    assertThat(assertRunsOnce(application)).isEqualTo(JdbcStore.class);
    assertThat(file).exists();
    assertThat(output).contains("kept in the sqlite store: once.store.url says so.");
  }

  @Test
  void a_data_source_without_the_tables_stops_the_start_and_says_how_to_make_them(
      CapturedOutput output) {
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()));
    assertThatThrownBy(application::start).isNotNull();
    assertThat(output)
        .contains(
            "Keys cannot be kept in the DataSource dataSource: postgresql: the tables of Once")
        .contains("Set once.store.migrate=true")
        .doesNotContain("Flyway the location"); // the application's next V2 would not be applied
  }

  @Test
  void closing_an_application_with_a_data_source_is_no_cause_for_a_warning(CapturedOutput output)
      throws Exception {
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()))
            .with("once.store.migrate", "true");
    assertRunsOnce(application);
    assertThat(output).contains("Shutdown completed").doesNotContain("WARN", "Exception");
  }

  @Test
  void a_data_source_keeps_the_keys(CapturedOutput output) throws Exception {
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with("once.store.migrate", "true")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()));
    assertThat(assertRunsOnce(application)).isEqualTo(JdbcStore.class);
    assertThat(output)
        .containsOnlyOnce(
            "Idempotency keys are kept in the DataSource dataSource: it is the application's.");
  }

  @Test
  void the_tables_may_be_among_what_the_application_creates() throws Exception {
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with("spring.sql.init.mode", "always")
            .with("spring.sql.init.separator", ScriptUtils.EOF_STATEMENT_SEPARATOR)
            .with(
                "spring.sql.init.schema-locations",
                "classpath:dev/once/stores/jdbc/postgresql/V2026.1__once_idempotency_keys.sql")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()));
    assertThat(assertRunsOnce(application)).isEqualTo(JdbcStore.class);
  }

  @Test
  void a_redis_keeps_the_keys_where_there_is_no_data_source(CapturedOutput output)
      throws Exception {
    try (RedisServer redis = RedisServer.start("appendonly yes", "requirepass s3cret")) {
      Application application =
          plain()
              .with(Application.Part.REDIS)
              .with("spring.data.redis.port", redis.port())
              .with("spring.data.redis.database", "3")
              .with("spring.data.redis.password", "s3cret");
      assertThat(assertRunsOnce(application)).isEqualTo(RedisStore.class);
      assertThat(output)
          .containsOnlyOnce("Idempotency keys are kept in redis://:***@localhost:" + redis.port())
          .contains("/3: it is the application's.")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void of_a_data_source_and_a_redis_the_data_source_keeps_the_keys(CapturedOutput output)
      throws Exception {
    Application application =
        plain()
            .with(Application.Part.DATABASE)
            .with(Application.Part.REDIS)
            .with("once.store.migrate", "true")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()));
    assertThat(assertRunsOnce(application)).isEqualTo(JdbcStore.class);
    assertThat(output)
        .containsOnlyOnce("Idempotency keys are kept in the DataSource dataSource")
        .contains("the Redis is not used for keys, unless once.store.kind=redis");
  }

  @Test
  void of_a_data_source_and_a_redis_the_properties_may_choose(CapturedOutput output)
      throws Exception {
    try (RedisServer redis = RedisServer.start("appendonly yes")) {
      Application application =
          plain()
              .with(Application.Part.DATABASE)
              .with(Application.Part.REDIS)
              .with("once.store.kind", "redis")
              .with("spring.data.redis.url", redis.url())
              .with("spring.datasource.url", "jdbc:postgresql://localhost:1/nowhere");
      assertThat(assertRunsOnce(application)).isEqualTo(RedisStore.class);
      assertThat(output).contains(": once.store.kind says so.");
    }
  }

  @Configuration
  static class CountsFallbacks {
    static final AtomicInteger FALLBACKS = new AtomicInteger();

    @Bean
    OnceListener counter() {
      return new OnceListener() {
        @Override
        public void fellBack() {
          FALLBACKS.incrementAndGet();
        }
      };
    }
  }

  @Test
  void a_cache_may_be_in_front_of_the_data_source(CapturedOutput output) throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      Application application =
          plain()
              .with(Application.Part.DATABASE)
              .with("once.store.migrate", "true")
              .with("once.store.cache", redis.url())
              .with(
                  "spring.datasource.url",
                  PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()));
      assertThat(assertRunsOnce(application)).isEqualTo(TieredStore.class);
      assertThat(output)
          .containsOnlyOnce(
              "Idempotency keys are kept in the DataSource dataSource, with "
                  + redis.url()
                  + " in front: it is the application's.");
    }
  }

  @Test
  void a_cache_that_is_not_there_costs_nothing_but_speed(@TempDir Path folder) throws Exception {
    int before = CountsFallbacks.FALLBACKS.get();
    Application application =
        plain(CountsFallbacks.class)
            .with("once.store.url", "sqlite:" + folder.resolve("keys.db"))
            .with("once.store.cache", "redis://localhost:1");
    assertThat(assertRunsOnce(application)).isEqualTo(TieredStore.class);
    assertThat(CountsFallbacks.FALLBACKS.get()).isGreaterThan(before);
  }

  @Test
  void a_database_may_be_behind_the_redis_of_the_application(CapturedOutput output)
      throws Exception {
    String database = PostgresServer.shared().newDatabase();
    try (RedisServer redis = RedisServer.start()) {
      Application application =
          plain()
              .with(Application.Part.REDIS)
              .with("spring.data.redis.url", redis.url())
              .with("once.store.migrate", "true")
              .with("once.store.fallback", database);
      assertThat(assertRunsOnce(application)).isEqualTo(TieredStore.class);
      assertThat(output)
          .containsOnlyOnce("Idempotency keys are kept in " + Stores.masked(database))
          .contains(" in front: once.store.fallback says so.");
    }
  }

  @Test
  void a_database_may_be_behind_a_redis_by_its_url(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("keys.db");
    try (RedisServer redis = RedisServer.start()) {
      Application application =
          plain().with("once.store.url", redis.url()).with("once.store.fallback", "sqlite:" + file);
      assertThat(assertRunsOnce(application)).isEqualTo(TieredStore.class);
      assertThat(file).exists();
    }
  }

  @Configuration
  static class OwnStore {
    static final AtomicBoolean CUSTOMIZED = new AtomicBoolean();

    @Bean
    Store ownStore() {
      return new MemoryStore();
    }

    @Bean
    OnceCustomizer customizer() {
      return builder -> CUSTOMIZED.set(true);
    }
  }

  @Test
  void a_store_of_the_applications_own_is_stronger_than_all(CapturedOutput output)
      throws Exception {
    assertThat(assertRunsOnce(plain(OwnStore.class))).isEqualTo(MemoryStore.class);
    assertThat(OwnStore.CUSTOMIZED).isTrue();
    assertThat(output).doesNotContain("Idempotency keys are kept");
  }

  @Configuration
  static class OwnOnce {
    @Bean
    Once own() {
      return Once.on(new MemoryStore());
    }
  }

  @Test
  void with_a_once_of_its_own_the_application_needs_no_store(CapturedOutput output)
      throws IOException {
    try (ConfigurableApplicationContext context = plain(OwnOnce.class).start()) {
      assertThat(context.getBeansOfType(Once.class)).containsOnlyKeys("own");
      assertThat(context.getBeansOfType(Store.class)).isEmpty();
    }
    assertThat(output).doesNotContain("Idempotency keys are kept");
  }
}
