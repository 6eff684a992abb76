package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The application's pool, however small it is, and the store do not starve each other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SharedPoolTest {

  private static final int CALLERS = 20;
  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  static Stream<Arguments> pools() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared())
        .flatMap(server -> Stream.of(1, 2, 5, 10).map(size -> Arguments.of(server, size)));
  }

  private static HikariDataSource pool(DatabaseServer server, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(DatabaseServer.jdbcUrl(DatabaseFixture.database(server)));
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(15_000);
    return new HikariDataSource(config);
  }

  private static Operation pay(int number) {
    return Operation.of(
        Scope.GLOBAL, Key.of("key " + number), Fingerprint.of("pay"), Policy.DEFAULT);
  }

  /** Callers in transactions of their own, each of which has a connection meanwhile. */
  private static List<Result> inTransactions(HikariDataSource pool, Once once) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Callable<Result>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int number = i;
        calls.add(
            () -> {
              try (Connection connection = pool.getConnection();
                  Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("SELECT 1");
                Result result = once.run(pay(number), execution -> PAID);
                connection.commit();
                return result;
              }
            });
      }
      List<Result> results = new ArrayList<>();
      for (Future<Result> result : threads.invokeAll(calls)) {
        results.add(result.get());
      }
      return results;
    } finally {
      threads.shutdown();
    }
  }

  private static void assertServesAll(HikariDataSource pool, JdbcStore store) throws Exception {
    try (Once once = Once.on(store)) {
      assertThat(inTransactions(pool, once)).containsOnly(new Result.Executed(PAID, true));
      store.purgeExpired(10).toCompletableFuture().join();
      assertThat(inTransactions(pool, once)).containsOnly(new Result.Replayed(PAID));
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("pools")
  void a_store_on_the_pool_of_the_application_fits_into_it_or_refuses_with_the_numbers(
      DatabaseServer server, int size) throws Exception {
    try (HikariDataSource pool = pool(server, size)) {
      if (size < 3) {
        assertThatThrownBy(() -> JdbcStore.on(pool))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("pool: " + size + " connections (expected: at least 3");
        return;
      }
      try (JdbcStore store = JdbcStore.on(pool)) {
        assertThat(store.connections()).isEqualTo(Math.max(2, size / 2));
        assertServesAll(pool, store);
      }
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("pools")
  void a_store_beside_the_pool_of_the_application_takes_none_of_its_connections(
      DatabaseServer server, int size) throws Exception {
    try (HikariDataSource pool = pool(server, size);
        JdbcStore store = JdbcStore.beside(pool).orElseThrow()) {
      assertServesAll(pool, store);
    }
  }

  @Test
  void a_data_source_that_does_not_say_how_it_connects_has_no_store_beside_it() {
    String url = DatabaseFixture.database(PostgresServer.shared());
    assertThat(JdbcStore.beside(DatabaseFixture.dataSource(url))).isEmpty();
  }

  @Test
  void readers_and_the_listener_give_their_connections_back() throws Exception {
    try (HikariDataSource pool = pool(PostgresServer.shared(), 12);
        JdbcStore store =
            JdbcStore.on(
                pool,
                dialect -> {
                  Connections most = Connections.within(dialect, 12);
                  return new Connections(
                      most.lanes(),
                      true,
                      most.readers(),
                      most.listens(),
                      Duration.ofMillis(10),
                      most.maxTrusted());
                },
                () -> {});
        Once once = Once.on(store)) {
      for (int i = 0; i < 3; i++) { // they come again when they are needed
        once.run(pay(i), execution -> PAID);
        store.count().toCompletableFuture().join();
        awaitActive(pool, 3);
      }
    }
  }

  private static void awaitActive(HikariDataSource pool, int connections) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (pool.getHikariPoolMXBean().getActiveConnections() != connections) {
      assertThat(System.nanoTime() - deadline).as("still in use").isNegative();
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
