package dev.once.stores.jdbc;

import static dev.once.stores.jdbc.ShopClient.PAID;
import static dev.once.stores.jdbc.ShopClient.pay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Begun;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Finding;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreSetupException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is different on H2. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class H2Test {

  private static final String FOLDER = "dev/once/stores/jdbc/h2";

  private static List<String> row(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      List<String> columns = new ArrayList<>();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        columns.add(row.getString(i));
      }
      return columns;
    }
  }

  private static <T> List<T> together(int threads, Callable<T> work) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> started = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        started.add(
            pool.submit(
                () -> {
                  barrier.await();
                  return work.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> one : started) {
        results.add(one.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  // Tables.

  @Test
  void in_memory_a_store_makes_its_tables_because_nobody_can_have_made_them() throws Exception {
    DataSource dataSource = H2Database.dataSource(H2Database.newDatabase(""));
    try (JdbcStore store = JdbcStore.on(dataSource);
        Once once = Once.on(store)) {
      assertThat(once.run(pay("key"), any -> PAID)).isInstanceOf(Result.Executed.class);
      assertThat(store.capabilities().durable()).isFalse();
    }
    assertThat(JdbcStore.migrate(dataSource).from()).isOne();
  }

  @Test
  void in_memory_a_database_without_a_name_is_refused_because_each_connection_has_its_own() {
    DataSource dataSource = H2Database.dataSource("jdbc:h2:mem:;MODE=MySQL");
    for (ThrowingCallable opening :
        List.<ThrowingCallable>of(
            () -> JdbcStore.on(dataSource), () -> JdbcStore.migrate(dataSource))) {
      assertThatThrownBy(opening)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("without a name (expected: jdbc:h2:mem:NAME)");
    }
  }

  @Test
  void in_memory_a_database_that_ends_with_each_connection_is_refused() {
    DataSource dataSource = H2Database.dataSource("jdbc:h2:mem:" + UUID.randomUUID());
    assertThatThrownBy(() -> JdbcStore.on(dataSource))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("add DB_CLOSE_DELAY=-1 to its URL")
        .hasMessageNotContaining("migrate");
  }

  @Test
  void in_memory_nobody_is_told_to_make_tables_that_were_there() {
    String url = H2Database.newDatabase("");
    try (JdbcStore store = JdbcStore.on(H2Database.dataSource(url))) {
      H2Database.execute(url, "DROP ALL OBJECTS");
      assertThatThrownBy(() -> store.count().toCompletableFuture().join())
          .hasMessageContaining("ONCE_NOW")
          .hasMessageContaining("the tables that the store made are gone")
          .hasMessageNotContaining("migrate")
          .as("the statement would stand before what to do")
          .hasMessageNotContaining("SELECT");
    }
  }

  @Test
  void a_table_of_somebody_else_is_not_taken_for_ours() {
    String url = H2Database.newDatabase("");
    H2Database.execute(url, "CREATE TABLE idempotency_keys (id INT)");
    DataSource dataSource = H2Database.dataSource(url);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> JdbcStore.migrate(dataSource))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("rename it, and then create those of Once");
    }
    H2Database.execute(url, "ALTER TABLE idempotency_keys RENAME TO theirs");
    assertThat(JdbcStore.migrate(dataSource).from()).isZero();
    JdbcStore.on(dataSource).close();
  }

  @Test
  void a_wrong_password_is_not_told_as_a_database_that_cannot_be_reached() {
    String url = H2Database.withTables("");
    DataSource dataSource =
        H2Database.dataSource(() -> DriverManager.getConnection(url, "sa", "wrong"));
    assertThatThrownBy(() -> JdbcStore.on(dataSource))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("database: refuses the login, ")
        .hasMessageEndingWith("(expected: a user and a password that it knows)");
  }

  @Test
  void in_a_file_the_tables_must_be_there(@TempDir Path folder) {
    DataSource dataSource = H2Database.dataSource("jdbc:h2:file:" + folder.resolve("shop"));
    assertThatThrownBy(() -> JdbcStore.on(dataSource))
        .isInstanceOf(StoreSetupException.class)
        .hasMessageContaining("h2: the tables of Once are missing");
    JdbcStore.migrate(dataSource);
    JdbcStore.on(dataSource).close();
  }

  @Test
  void stores_that_are_opened_together_make_the_tables_once() throws Exception {
    for (int i = 0; i < 20; i++) {
      DataSource dataSource = H2Database.dataSource(H2Database.newDatabase(""));
      together(
              6,
              () -> {
                JdbcStore.on(dataSource).close();
                return true;
              })
          .forEach(opened -> assertThat(opened).isTrue());
    }
  }

  /** In one process they make them one after another; H2 then fails in one of several ways. */
  @Test
  void what_another_process_made_at_the_same_time_is_looked_at_again() throws Exception {
    String url = H2Database.withTables("");
    List<SQLException> failures = new ArrayList<>();
    try (Connection connection = H2Database.connect(url);
        Statement statement = connection.createStatement()) {
      for (String sql :
          List.of(
              "CREATE ALIAS once_now FOR 'java.lang.System.currentTimeMillis'",
              "CREATE TABLE once_meta (name INT)",
              "CREATE INDEX idempotency_keys_status ON idempotency_keys (status)",
              "CREATE SEQUENCE once_fence")) {
        try {
          statement.execute(sql);
        } catch (SQLException e) {
          failures.add(e);
        }
      }
    }
    failures.add( // seen on 2.3.232, of three processes that made an index at once
        new SQLException(
            "General error: \"java.lang.RuntimeException: object already exists:"
                + " IDEMPOTENCY_KEYS_STATUS\"",
            "HY000",
            50000));
    assertThat(failures).hasSize(5).allMatch(new H2Dialect()::isBusy);
    assertThat(new H2Dialect().isBusy(new SQLException("General error: \"\"", "HY000", 50000)))
        .isFalse();
  }

  @Test
  void a_user_who_is_no_administrator_can_use_the_tables_but_not_make_them() throws Exception {
    String name = "jdbc:h2:mem:" + UUID.randomUUID();
    String administrator = name + ";DB_CLOSE_DELAY=-1";
    H2Database.execute(administrator, "CREATE USER shop PASSWORD 'secret'");
    DataSource dataSource =
        H2Database.dataSource(() -> DriverManager.getConnection(name, "shop", "secret"));
    assertThatThrownBy(() -> JdbcStore.on(dataSource))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("only an administrator");
    JdbcStore.migrate(H2Database.dataSource(administrator));
    assertThatThrownBy(() -> JdbcStore.on(dataSource))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("may not use the tables of Once");
    H2Database.execute(
        administrator, "GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO shop");
    H2Database.execute(administrator, "GRANT SELECT, UPDATE ON once_meta TO shop");
    try (JdbcStore store = JdbcStore.on(dataSource);
        Once once = Once.on(store);
        Connection connection = dataSource.getConnection()) {
      assertThat(once.run(pay("lease"), any -> PAID)).isInstanceOf(Result.Executed.class);
      connection.setAutoCommit(false);
      assertThat(JdbcTransactions.create().run(connection, pay("transaction"), any -> PAID))
          .isInstanceOf(Result.Executed.class);
      connection.commit();
      H2Database.execute(administrator, "UPDATE idempotency_keys SET ttl_at = 1");
      assertThat(store.purgeExpired(10).toCompletableFuture().join()).isEqualTo(2);
    }
  }

  @Test
  void flyway_takes_the_file_as_it_is() {
    String url = H2Database.newDatabase("");
    Flyway flyway =
        Flyway.configure().dataSource(url, "sa", "").locations("classpath:" + FOLDER).load();
    assertThat(flyway.migrate().migrationsExecuted).isOne();
    assertThat(flyway.migrate().migrationsExecuted).isZero();
    assertThat(JdbcStore.migrate(H2Database.dataSource(url)).from()).isOne();
    JdbcStore.on(H2Database.dataSource(url)).close();
  }

  @Test
  void liquibase_takes_the_file_as_it_is() throws Exception {
    String url = H2Database.newDatabase("");
    try (Connection connection = H2Database.connect(url)) {
      MigrationToolsTest.liquibase(connection, FOLDER);
    }
    assertThat(JdbcStore.migrate(H2Database.dataSource(url)).from()).isOne();
    JdbcStore.on(H2Database.dataSource(url)).close();
  }

  @Test
  void a_check_says_that_a_commit_may_be_lost() {
    DataSource dataSource = H2Database.dataSource(H2Database.withTables(""));
    List<Finding> findings = DatabaseCheck.of(dataSource, Databases.dialectOf(dataSource));
    assertThat(findings)
        .filteredOn(finding -> finding.level() != Finding.Level.GOOD)
        .singleElement()
        .asString()
        .contains("the database is in memory");
  }

  // Connections.

  @Test
  void a_connection_is_given_back_as_it_was() throws Exception {
    String url = H2Database.withTables("");
    try (Connection connection = H2Database.connect(url)) {
      Dialect dialect = Databases.dialectOf(DatabaseFixture.poolOf(connection));
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("CREATE SCHEMA elsewhere");
        statement.execute("SET SCHEMA elsewhere");
        statement.execute("SET LOCK_TIMEOUT 4321");
      }
      String settings = "SELECT LOCK_TIMEOUT(), CURRENT_SCHEMA";
      List<String> before = row(connection, settings);
      try (Session session = new Session(DatabaseFixture.poolOf(connection), dialect)) {
        assertThat(row(session.connection(), settings)).containsExactly("1000", "PUBLIC");
        assertThat(row(session.connection(), "SELECT count(*) FROM idempotency_keys"))
            .containsExactly("0");
      }
      assertThat(row(connection, settings)).isEqualTo(before).containsExactly("4321", "ELSEWHERE");
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  /** To an interrupted thread the JDK closes the file of the database, for all its users. */
  @Test
  void no_step_is_taken_on_the_thread_of_a_caller_who_may_be_interrupted() {
    ObservedDataSource observed =
        new ObservedDataSource(H2Database.dataSource(H2Database.withTables("")));
    try (JdbcStore store = JdbcStore.on(observed.asDataSource())) {
      observed.threads.clear();
      for (int i = 0; i < 10; i++) {
        Operation operation = pay("key " + i);
        Duration hour = Duration.ofHours(1);
        new WaitingStore(store)
            .claim(new ClaimRequest(operation.id(), operation.fingerprint(), i, hour, hour, false))
            .toCompletableFuture()
            .join();
      }
      assertThat(observed.threads).isNotEmpty().doesNotContain(Thread.currentThread());
    }
  }

  /** The same holds when a store is closed, by a test whose time is over, say. */
  @Test
  void whoever_closes_a_store_while_interrupted_closes_no_file_with_that() throws Exception {
    String url = H2Database.withTables("");
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Queue<Thread> interruptedReaders = new ConcurrentLinkedQueue<>();
    ObservedDataSource observed =
        new ObservedDataSource(
            H2Database.dataSource(
                () -> {
                  if (Thread.currentThread().getName().contains("reader")) {
                    reading.countDown();
                    try {
                      goOn.await();
                    } catch (InterruptedException e) {
                      interruptedReaders.add(Thread.currentThread());
                    }
                  }
                  return H2Database.connect(url);
                }));
    JdbcStore store = JdbcStore.on(observed.asDataSource());
    Once.on(store).run(pay("key"), any -> PAID);
    store.count();
    reading.await();
    AtomicBoolean interruptedAfterwards = new AtomicBoolean();
    Thread closing =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              store.close();
              interruptedAfterwards.set(Thread.currentThread().isInterrupted());
            });
    closing.start();
    while (!isWaitingForReaders(closing) && closing.isAlive()) {
      Thread.onSpinWait();
    }
    goOn.countDown();
    closing.join();
    assertThat(interruptedReaders).isEmpty();
    assertThat(observed.interrupted).isEmpty();
    assertThat(interruptedAfterwards).isTrue();
  }

  private static boolean isWaitingForReaders(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(ReaderThreads.class.getName()));
  }

  // Races.

  @Test
  void of_claims_that_come_together_one_is_granted_and_none_fails() throws Exception {
    DataSource dataSource = H2Database.dataSource(H2Database.withTables(""));
    JdbcTransactions transactions = JdbcTransactions.create(Duration.ofMinutes(1));
    for (int i = 0; i < 200; i++) { // of which some insert between another's look and its insert
      Operation operation = pay("key " + i);
      List<Result> results =
          together(
              4,
              () -> {
                try (Connection connection = dataSource.getConnection()) {
                  connection.setAutoCommit(false);
                  Result result = transactions.run(connection, operation, any -> PAID);
                  connection.commit();
                  return result;
                }
              });
      assertThat(results).filteredOn(Result.Executed.class::isInstance).hasSize(1);
      assertThat(results).filteredOn(Result.Replayed.class::isInstance).hasSize(3);
    }
  }

  @Test
  void transactions_that_wait_for_each_others_new_keys_are_busy() throws Exception {
    DataSource dataSource = H2Database.dataSource(H2Database.withTables(""));
    JdbcTransactions transactions = JdbcTransactions.create(Duration.ofMillis(300));
    CyclicBarrier claimed = new CyclicBarrier(2);
    Queue<List<String>> keys =
        new ConcurrentLinkedQueue<>(List.of(List.of("a", "b"), List.of("b", "a")));
    List<Begun> second =
        together(
            2,
            () -> {
              List<String> names = keys.remove();
              try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                assertThat(transactions.begin(connection, pay(names.get(0))))
                    .isInstanceOf(Begun.Proceed.class);
                claimed.await();
                Begun begun = transactions.begin(connection, pay(names.get(1)));
                claimed.await();
                connection.rollback();
                return begun;
              }
            });
    assertThat(second)
        .allSatisfy(
            begun ->
                assertThat(begun)
                    .isInstanceOfSatisfying(
                        Begun.Refuse.class,
                        refuse -> assertThat(refuse.refusal().reason()).isEqualTo(Reason.BUSY)));
  }

  // Transactions.

  @Test
  void the_clock_goes_on_within_a_transaction() throws Exception {
    DataSource dataSource = H2Database.dataSource(H2Database.withTables(""));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      String times = "SELECT once_now(), CURRENT_TIMESTAMP(9)";
      List<String> first = row(connection, times);
      List<String> later = row(connection, times);
      while (later.get(0).equals(first.get(0))) {
        later = row(connection, times);
      }
      assertThat(Long.parseLong(later.get(0))).isGreaterThan(Long.parseLong(first.get(0)));
      assertThat(later.get(1)).as("H2's own stands still").isEqualTo(first.get(1));
    }
  }

  @Test
  void a_transaction_that_reads_what_is_not_committed_is_refused() throws Exception {
    DataSource dataSource = H2Database.dataSource(H2Database.withTables(""));
    try (Connection connection = dataSource.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> JdbcTransactions.create().begin(connection, pay("key")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("READ UNCOMMITTED (expected: READ COMMITTED or a higher one)");
    }
  }

  @Test
  void a_purge_passes_over_what_an_application_holds_in_an_open_transaction() throws Exception {
    String url = H2Database.withTables("");
    try (JdbcStore store = JdbcStore.on(H2Database.dataSource(url));
        Once once = Once.on(store);
        Connection application = H2Database.connect(url)) {
      for (int i = 0; i < 10; i++) {
        once.run(pay("key " + i), any -> PAID);
      }
      H2Database.execute(url, "UPDATE idempotency_keys SET ttl_at = 1");
      application.setAutoCommit(false);
      assertThat(JdbcTransactions.create().begin(application, pay("key 3")))
          .isInstanceOf(Begun.Proceed.class);
      assertThat(store.purgeExpired(100).toCompletableFuture().join()).isEqualTo(9);
      application.rollback();
      assertThat(store.purgeExpired(100).toCompletableFuture().join()).isOne();
    }
  }
}
