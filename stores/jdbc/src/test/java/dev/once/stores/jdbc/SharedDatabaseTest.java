package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreUrlException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds on PostgreSQL and on MariaDB alike, however they are set up. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SharedDatabaseTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT);
  }

  private static void execute(String url, String... statements) {
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void tables_that_are_missing_are_not_made_without_being_asked(DatabaseServer server) {
    String url = server.newDatabase();

    assertThatThrownBy(() -> JdbcStore.open(url))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the tables of Once are missing")
        .hasMessageContaining("./once store migrate URL");

    JdbcStore.migrate(url);
    JdbcStore.migrate(url);
    JdbcStore.open(url).close();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void tables_of_a_newer_version_are_refused_and_left_alone(DatabaseServer server) {
    String url = DatabaseFixture.database(server);
    execute(url, "UPDATE once_meta SET value = 2 WHERE name = 'schema'");

    assertThatThrownBy(() -> JdbcStore.open(url))
        .hasMessageContaining("schema version 2 (expected: at most 1)");
    assertThatThrownBy(() -> JdbcStore.migrate(url))
        .hasMessageContaining("schema version 2 (expected: at most 1)");
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void many_may_create_the_tables_at_once(DatabaseServer server) throws Exception {
    String url = server.newDatabase();
    ExecutorService nodes = Executors.newFixedThreadPool(6);
    try {
      Callable<Void> migrate =
          () -> {
            JdbcStore.migrate(url);
            return null;
          };
      for (Future<Void> migrated : nodes.invokeAll(Collections.nCopies(6, migrate))) {
        migrated.get();
      }
    } finally {
      nodes.shutdown();
    }
    JdbcStore.open(url).close();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void isolation_time_zone_and_commit_settings_of_the_sessions_change_nothing(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    ObservedDataSource strange = new ObservedDataSource(DatabaseFixture.dataSource(url));
    strange.onConnect =
        server instanceof PostgresServer
            ? "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;"
                + " SET TIME ZONE 'Pacific/Kiritimati'; SET synchronous_commit = off"
            : "SET SESSION tx_isolation = 'SERIALIZABLE', time_zone = '+13:00'";
    try (JdbcStore store = JdbcStore.on(strange.asDataSource());
        Once here = Once.on(store);
        JdbcStore plain = JdbcStore.open(url);
        Once there = Once.on(plain)) {
      List<CompletableFuture<Result>> results = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String key = "key " + i % 50;
        for (Once once : List.of(here, there)) {
          results.add(
              once.runAsync(pay(key), execution -> CompletableFuture.completedFuture(PAID))
                  .toCompletableFuture());
        }
      }
      long executed =
          results.stream()
              .map(CompletableFuture::join)
              .filter(Result.Executed.class::isInstance)
              .count();
      assertThat(executed).isEqualTo(50);
      assertThat(there.run(pay("key 7"), execution -> PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_database_can_be_checked_before_it_is_used(DatabaseServer server) {
    String url = server.newDatabase();

    assertThat(JdbcStore.check(url))
        .filteredOn(finding -> finding.level() == Finding.Level.UNFIT)
        .singleElement()
        .satisfies(finding -> assertThat(finding.detail()).contains("store migrate"));

    JdbcStore.migrate(url);

    assertThat(JdbcStore.check(url))
        .extracting(Finding::subject)
        .containsSubsequence("version", "schema", "privileges", "durability", "latency", "clock");
    assertThat(JdbcStore.check(url)).extracting(Finding::level).containsOnly(Finding.Level.GOOD);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_missing_database_is_named(DatabaseServer server) {
    String missing = server.url().replaceFirst("/[^/]*$", "/nowhere");

    assertThatThrownBy(() -> JdbcStore.open(missing))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("nowhere");
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_batch_with_an_operation_twice_gives_each_its_own_reply(DatabaseServer server) {
    String url = DatabaseFixture.database(server);
    try (JdbcStore store = JdbcStore.open(url);
        Once once = Once.on(store)) {
      List<CompletableFuture<Result>> results = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        results.add(
            once.runAsync(pay("the only one"), any -> CompletableFuture.completedFuture(PAID))
                .toCompletableFuture());
      }
      assertThat(results.stream().map(CompletableFuture::join))
          .filteredOn(Result.Executed.class::isInstance)
          .hasSize(1);
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_url_that_is_none_is_refused_without_its_password(DatabaseServer server) {
    assertThatThrownBy(() -> JdbcStore.open("mysql://root:secret@localhost/shop"))
        .isInstanceOf(StoreUrlException.class)
        .hasMessageContaining("postgresql://")
        .hasMessageNotContaining("secret");
  }
}
