package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller that waits takes its step itself, if nobody else is at work. */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class WaitingCallerTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  @TempDir private Path folder;

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT);
  }

  private static void assertUsesTheThread(JdbcStore store, ObservedDataSource observed)
      throws Exception {
    try (store;
        Once once = Once.on(store)) {
      runUntilTheThreadIsUsed(once, observed);
      assertThat(once.run(pay("key"), execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
      assertThat(once.run(pay("key"), execution -> PAID)).isEqualTo(new Result.Replayed(PAID));
      assertThat(observed.threads).containsExactly(Thread.currentThread());
      observed.threads.clear();
      Begun begun = once.begin(pay("other")).toCompletableFuture().join();
      assertThat(begun).isInstanceOf(Begun.Proceed.class);
      assertThat(observed.threads).isNotEmpty().doesNotContain(Thread.currentThread());
    }
  }

  /** The first one has a connection opened, by a lane, which goes on for a moment after it told. */
  private static void runUntilTheThreadIsUsed(Once once, ObservedDataSource observed)
      throws Exception {
    int before = 0;
    do {
      observed.threads.clear();
      once.run(pay("before " + before++), execution -> PAID);
    } while (!observed.threads.equals(Set.of(Thread.currentThread())));
    observed.threads.clear();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void the_thread_is_used_if_it_waits_and_only_then(DatabaseServer server) throws Exception {
    ObservedDataSource observed =
        new ObservedDataSource(DatabaseFixture.dataSource(DatabaseFixture.database(server)));
    assertUsesTheThread(JdbcStore.on(observed.asDataSource()), observed);
  }

  @Test
  void the_thread_is_used_if_it_waits_and_only_then_on_sqlite() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    ObservedDataSource observed = file.observed();
    assertUsesTheThread(JdbcStore.sqlite(observed.asDataSource(), file.dialect()), observed);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_key_that_a_transaction_has_is_busy_and_the_next_caller_is_served(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    try (JdbcStore store = JdbcStore.open(url);
        Once once = Once.on(store);
        Connection other = DatabaseServer.connect(url);
        Statement statement = other.createStatement()) {
      once.run(pay("old"), execution -> PAID);
      statement.execute("UPDATE idempotency_keys SET ttl_at = 1"); // so that it is written again
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED); // locks no gaps
      other.setAutoCommit(false);
      statement.execute("UPDATE idempotency_keys SET attempt = 7");
      Result.Refused busy = (Result.Refused) once.run(pay("old"), execution -> PAID);
      assertThat(busy.refusal().reason()).isEqualTo(Reason.BUSY);
      assertThat(once.run(pay("new"), execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
      other.rollback();
      assertThat(once.run(pay("old"), execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
    }
  }

  @Test
  void a_connection_that_broke_costs_a_caller_nothing_but_time() throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    try (JdbcStore store = JdbcStore.open(url);
        Once once = Once.on(store);
        Connection other = DatabaseServer.connect(url);
        Statement statement = other.createStatement()) {
      once.run(pay("before"), execution -> PAID);
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND query LIKE 'UPDATE idempotency_keys%'");
      assertThat(once.run(pay("key"), execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_server_that_falls_silent_has_the_thread_no_longer_than_the_caller_would_wait(
      DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      ObservedDataSource observed =
          new ObservedDataSource(DatabaseFixture.dataSource(proxy.url(url)));
      try (JdbcStore store = JdbcStore.on(observed.asDataSource());
          Once once = Once.on(store);
          Once impatient = Once.builder(store).storeTimeout(Duration.ofMillis(300)).build()) {
        runUntilTheThreadIsUsed(once, observed);
        proxy.blackhole();
        Result.Refused refused = (Result.Refused) impatient.run(pay("other"), execution -> PAID);
        assertThat(observed.networkTimeouts).contains(300); // a lane gives the server more time
        assertThat(refused.refusal().reason()).isEqualTo(Reason.STORE_DOWN);
        assertThat(observed.threads).contains(Thread.currentThread());
        proxy.heal();
        Result result;
        do { // a connection is made anew, which may take longer than the caller waits
          result = once.run(pay("other"), execution -> PAID);
        } while (result instanceof Result.Refused);
        assertThat(result).isEqualTo(new Result.Executed(PAID, true));
      }
    }
  }

  @Test
  void a_store_is_not_closed_under_a_caller_that_is_at_work() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    ObservedDataSource observed = file.observed();
    JdbcStore store = JdbcStore.sqlite(observed.asDataSource(), file.dialect());
    Thread closer = new Thread(store::close);
    try (Once once = Once.on(store)) {
      once.run(pay("before"), execution -> PAID);
      Begun.Proceed begun = (Begun.Proceed) once.await(() -> once.begin(pay("key")));
      observed.aroundCommit =
          new ObservedDataSource.AroundCommit() {
            @Override
            public void before() {
              closer.start();
              while (closer.getState() != Thread.State.TIMED_WAITING && closer.isAlive()) {
                Thread.onSpinWait();
              }
            }

            @Override
            public void after() {}
          };
      assertThat(once.await(() -> begun.execution().complete(PAID)))
          .isEqualTo(new Result.Executed(PAID, true));
      closer.join();
    }
  }
}
