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
import dev.once.core.store.StoreException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PgBouncer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Behind PgBouncer in transaction mode: each transaction may have another server connection. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgBouncerTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  private static final List<String> SETTINGS =
      List.of(
          "lock_timeout",
          "synchronous_commit",
          "search_path",
          "default_transaction_isolation",
          "enable_seqscan",
          "enable_hashjoin",
          "enable_mergejoin",
          "enable_bitmapscan",
          "plan_cache_mode");

  private String database;
  private PgBouncer pooler;

  @BeforeEach
  void start() {
    database = DatabaseFixture.database(PostgresServer.shared());
    pooler = PgBouncer.start(database, 4);
  }

  @AfterEach
  void stop() {
    if (pooler != null) {
      pooler.close();
    }
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT);
  }

  /** Another client, which has a server connection to itself from its first statement on. */
  private Connection client() throws SQLException {
    Connection connection = DatabaseServer.connect(pooler.url() + "?prepareThreshold=0");
    connection.setAutoCommit(false);
    return connection;
  }

  /** As another client of the pooler finds them, on all server connections that there are. */
  private List<String> settings() throws SQLException {
    List<String> found = new ArrayList<>();
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Connection connection = client();
      all.add(connection);
      for (String setting : SETTINGS) {
        try (Statement statement = connection.createStatement();
            ResultSet row = statement.executeQuery("SHOW " + setting)) {
          row.next();
          found.add(setting + " = " + row.getString(1));
        }
      }
    }
    for (Connection connection : all) {
      connection.close();
    }
    return found.stream().distinct().sorted().toList();
  }

  /** First requests, replays and duplicates, alone and in batches. */
  private static void use(Once once, String prefix) throws Exception {
    List<CompletableFuture<Result>> results = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      results.add(
          once.runAsync(pay(prefix + i % 50), execution -> CompletableFuture.completedFuture(PAID))
              .toCompletableFuture());
    }
    assertThat(results.stream().map(CompletableFuture::join))
        .filteredOn(Result.Executed.class::isInstance)
        .hasSize(50);
    for (int i = 0; i < 20; i++) {
      assertThat(once.run(pay(prefix + "alone " + i), execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
      assertThat(once.run(pay(prefix + "alone " + i), execution -> PAID))
          .isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void nothing_that_the_store_sets_is_seen_by_other_clients() throws Exception {
    List<String> before = settings();
    try (JdbcStore store = JdbcStore.open(pooler.url());
        Once once = Once.on(store)) {
      use(once, "key ");
      store.purgeExpired(10).toCompletableFuture().join();
      assertThat(settings()).isEqualTo(before);
    }
    assertThat(settings()).isEqualTo(before);
  }

  @Test
  void a_key_that_a_transaction_holds_is_waited_for_no_longer_than_a_second() throws Exception {
    try (JdbcStore store = JdbcStore.open(pooler.url());
        Once once = Once.on(store);
        Connection holder = DatabaseServer.connect(database)) {
      holder.setAutoCommit(false);
      JdbcTransactions.create().run(holder, pay("held"), execution -> PAID);

      assertThat(once.run(pay("held"), execution -> PAID)).isInstanceOf(Result.Refused.class);

      holder.commit();
      assertThat(once.run(pay("held"), execution -> PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void a_search_path_that_another_client_has_left_changes_nothing() throws Exception {
    try (Connection connection = DatabaseServer.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA other");
      statement.execute("SET search_path = other");
      JdbcStore.migrate(DatabaseFixture.poolOf(connection));
    }
    try (JdbcStore store = JdbcStore.open(pooler.url());
        Once once = Once.on(store)) {
      use(once, "key ");
      List<Connection> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Connection connection = client();
        all.add(connection);
        try (Statement statement = connection.createStatement()) {
          statement.execute("SET search_path = other");
        }
      }
      for (Connection connection : all) {
        connection.commit();
        connection.close();
      }
      for (int i = 0; i < 20; i++) {
        assertThat(once.run(pay("key " + i), execution -> PAID))
            .isEqualTo(new Result.Replayed(PAID));
      }
      use(once, "later ");
    }
  }

  @Test
  void a_duplicate_that_waits_asks_again_because_no_wake_up_comes_through() {
    try (JdbcStore store = JdbcStore.open(pooler.url())) {
      assertThat(store.capabilities().wakeUp()).isFalse();
    }
    try (JdbcStore store = JdbcStore.open(database)) {
      assertThat(store.capabilities().wakeUp()).isTrue();
    }
  }

  @Test
  void another_isolation_level_which_it_cannot_change_is_refused() throws Exception {
    try (Connection connection = DatabaseServer.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER DATABASE %s SET default_transaction_isolation = 'repeatable read'"
              .formatted(database.replaceFirst(".*/", "")));
    }
    try (PgBouncer later = PgBouncer.start(database, 1)) {
      assertThatThrownBy(() -> JdbcStore.open(later.url()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("default_transaction_isolation is repeatable read")
          .hasMessageContaining("expected: read committed");
    }
    JdbcStore.open(database).close();
  }

  @Test
  void tables_can_be_created_and_checked_through_it() {
    String empty = PostgresServer.shared().newDatabase();
    try (PgBouncer other = PgBouncer.start(empty, 2)) {
      JdbcStore.migrate(other.url());
      assertThat(JdbcStore.check(other.url())).isNotEmpty();
      JdbcStore.open(other.url()).close();
    }
  }
}
