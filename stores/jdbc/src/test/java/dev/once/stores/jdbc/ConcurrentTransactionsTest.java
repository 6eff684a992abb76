package dev.once.stores.jdbc;

import static dev.once.stores.jdbc.ShopClient.PAID;
import static dev.once.stores.jdbc.ShopClient.PAID_LATER;
import static dev.once.stores.jdbc.ShopClient.TRANSACTIONS;
import static dev.once.stores.jdbc.ShopClient.pay;
import static dev.once.stores.jdbc.ShopClient.reason;
import static dev.once.stores.jdbc.ShopClient.run;
import static dev.once.stores.jdbc.ShopClient.waitingDuplicate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions that meet: with each other, and with the leases of a store. */
@ParameterizedClass
@EnumSource(ShopDatabase.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ConcurrentTransactionsTest {

  @Parameter ShopDatabase shop;

  @BeforeEach
  void empty() {
    shop.url();
    shop.empty();
  }

  @Test
  void a_duplicate_waits_for_the_commit_and_gets_the_answer() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("key"), PAID);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, pay("key"));
      first.commit();
      assertThat(duplicate.get()).isEqualTo(new Result.Replayed(PAID));
    }
    assertThat(shop.payments()).isOne();
  }

  @Test
  void a_duplicate_waits_for_the_rollback_and_runs() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("key"), PAID);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, pay("key"));
      first.rollback();
      assertThat(duplicate.get()).isEqualTo(new Result.Executed(PAID_LATER, true));
    }
    assertThat(shop.payments()).isOne();
  }

  @Test
  void a_duplicate_runs_when_the_connection_of_the_first_breaks() throws Exception {
    try (Connection second = shop.connect()) {
      FutureTask<Result> duplicate;
      try (Connection first = shop.connect()) {
        run(first, pay("key"), PAID);
        duplicate = waitingDuplicate(shop, second, pay("key"));
        first.abort(Runnable::run);
      }
      assertThat(duplicate.get()).isEqualTo(new Result.Executed(PAID_LATER, true));
    }
    assertThat(shop.payments()).isOne();
  }

  @Test
  void a_duplicate_that_waited_for_another_request_is_told_so() throws Exception {
    Operation other =
        Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("pay 99"), Policy.DEFAULT);
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("key"), PAID);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, other);
      first.commit();
      assertThat(reason(duplicate.get())).isEqualTo(Reason.MISMATCH);
    }
  }

  @Test
  void another_key_waits_for_nobody_unless_there_is_one_writer_at_a_time() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      shop.limitWaiting(second, Duration.ofMillis(200));
      run(first, pay("key"), PAID);
      Result other = run(second, pay("other key"), PAID);
      second.commit();
      first.commit();
      if (shop.isServer()) {
        assertThat(other).isEqualTo(new Result.Executed(PAID, true));
      } else {
        assertThat(reason(other)).isEqualTo(Reason.BUSY);
      }
    }
  }

  @Test
  void an_expired_key_goes_to_one_of_those_who_ask() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("key"), PAID);
      first.commit();
      shop.timePasses(Duration.ofDays(2));
      assertThat(run(first, pay("key"), PAID)).isInstanceOf(Result.Executed.class);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, pay("key"));
      first.commit();
      assertThat(duplicate.get()).isEqualTo(new Result.Replayed(PAID));
    }
    assertThat(shop.payments()).isEqualTo(2);
  }

  // Many at once, at each isolation level. A client that is told to try again does.

  private static final int CLIENTS = 8;
  private static final int KEYS = 10;

  @Test
  void of_many_clients_at_each_isolation_level_one_pays() throws Exception {
    List<Integer> levels =
        List.of(
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE);
    List<Integer> itsOwn =
        switch (shop) {
          case SQLITE -> List.of(Connection.TRANSACTION_SERIALIZABLE);
          case H2 -> levels.subList(1, levels.size()); // H2Test: the first is refused
          default -> levels;
        };
    for (int level : itsOwn) {
      shop.empty();
      assertOnePayment(level, 0);
    }
  }

  @Test
  void of_many_clients_that_often_roll_back_one_pays() throws Exception {
    assertOnePayment(
        shop.isServer()
            ? Connection.TRANSACTION_READ_COMMITTED
            : Connection.TRANSACTION_SERIALIZABLE,
        3);
  }

  private void assertOnePayment(int level, int rollbacks) throws Exception {
    Set<String> answers = ConcurrentHashMap.newKeySet();
    CyclicBarrier together = new CyclicBarrier(CLIENTS);
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<Integer>> executed = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        String client = "client " + i;
        Callable<Integer> paysAll =
            () -> {
              int runs = 0;
              try (Connection connection = shop.connect()) {
                connection.setTransactionIsolation(level);
                for (int key = 0; key < KEYS; key++) {
                  together.await();
                  Result result = persist(connection, pay("key " + key), client, rollbacks);
                  if (result instanceof Result.Executed ran) {
                    runs++;
                    answers.add(key + ": " + text(ran.answer()));
                  } else {
                    answers.add(key + ": " + text(((Result.Replayed) result).answer()));
                  }
                }
              }
              return runs;
            };
        executed.add(clients.submit(paysAll));
      }
      int runs = 0;
      for (Future<Integer> client : executed) {
        runs += client.get();
      }
      assertThat(runs).isEqualTo(KEYS);
    } finally {
      clients.shutdownNow();
    }
    assertThat(answers).hasSize(KEYS);
    assertThat(shop.payments()).isEqualTo(KEYS);
    assertThat(shop.records()).isEqualTo(KEYS);
  }

  /** Tries until there is an answer, as a client does; some of its tries are rolled back. */
  private Result persist(Connection connection, Operation operation, String client, int rollbacks)
      throws Exception {
    for (int rolledBack = 0; ; ) {
      try {
        Result result = run(connection, operation, Answer.success(201, Body.of(client)));
        if (result instanceof Result.Executed && rolledBack < rollbacks) {
          rolledBack++;
          connection.rollback();
        } else if (result instanceof Result.Refused) {
          assertThat(reason(result)).isEqualTo(Reason.BUSY);
          connection.rollback();
        } else {
          connection.commit();
          return result;
        }
      } catch (SQLTransactionRollbackException e) {
        connection.rollback();
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.toString()).isEqualTo("40001"); // from the commit
        connection.rollback();
      }
    }
  }

  private static String text(Answer answer) {
    return ((Body.Full) answer.body()).bytes().toUtf8();
  }

  @Test
  void a_transaction_whose_isolation_hides_the_answer_is_told_to_roll_back() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      if (shop.isServer()) {
        second.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      }
      run(first, pay("key"), PAID);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, pay("key"));
      first.commit();
      if (shop == ShopDatabase.POSTGRESQL || shop == ShopDatabase.H2) {
        assertThatThrownBy(duplicate::get)
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOf(SQLTransactionRollbackException.class)
            .hasMessageContaining("roll back and try again");
        second.rollback();
      } else { // MariaDB reads the present when it writes, and SQLite began when it could write
        assertThat(duplicate.get()).isEqualTo(new Result.Replayed(PAID));
      }
      assertThat(run(second, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void a_transaction_that_has_read_the_past_gets_the_answer_or_is_told_to_roll_back()
      throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      try (Statement statement = second.createStatement()) {
        statement.executeQuery("SELECT count(*) FROM payments").close();
      }
      run(first, pay("key"), PAID);
      first.commit();
      if (shop == ShopDatabase.SQLITE) {
        assertThatThrownBy(() -> run(second, pay("key"), PAID))
            .isInstanceOf(SQLTransactionRollbackException.class)
            .hasMessageContaining("roll back and try again");
        second.rollback();
      }
      assertThat(run(second, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void whoever_waits_longer_than_the_connection_allows_is_refused() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      shop.limitWaiting(second, Duration.ofMillis(200));
      run(first, pay("key"), PAID);
      assertThat(reason(run(second, pay("key"), PAID))).isEqualTo(Reason.BUSY);
      first.commit();
      assertThat(run(second, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
      second.commit();
    }
    assertThat(shop.payments()).isOne();
  }

  // With the leases of a store.

  @Test
  void an_answer_of_one_mode_is_replayed_by_the_other() throws Exception {
    try (JdbcStore store = shop.store();
        Once once = Once.on(store);
        Connection connection = shop.connect()) {
      once.run(pay("by lease"), execution -> PAID);
      assertThat(run(connection, pay("by lease"), PAID_LATER)).isEqualTo(new Result.Replayed(PAID));
      run(connection, pay("in transaction"), PAID);
      connection.commit();
      assertThat(once.run(pay("in transaction"), execution -> PAID_LATER))
          .isEqualTo(new Result.Replayed(PAID));
      assertThat(store.find(pay("in transaction").id()).toCompletableFuture().join())
          .hasValueSatisfying(record -> assertThat(record.answer()).isEqualTo(PAID));
    }
  }

  @Test
  void a_key_that_runs_under_a_lease_is_busy_and_taken_over_when_that_is_over() throws Exception {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    try (JdbcStore store = shop.store();
        Once once = Once.on(store);
        Connection connection = shop.connect()) {
      Begun begun = once.begin(operation).toCompletableFuture().join();
      Execution late = ((Begun.Proceed) begun).execution();
      assertThat(reason(run(connection, operation, PAID))).isEqualTo(Reason.BUSY);
      connection.rollback();

      shop.timePasses(operation.policy().lease());
      assertThat(reason(run(connection, pay("key"), PAID))).isEqualTo(Reason.OUTCOME_UNKNOWN);
      connection.rollback();
      Begun taken = TRANSACTIONS.begin(connection, operation);
      Execution execution = ((Begun.Proceed) taken).execution();
      assertThat(execution.attempt()).isEqualTo(2);
      assertThat(execution.fence().orElseThrow()).isGreaterThan(late.fence().orElseThrow());
      execution.complete(PAID);
      connection.commit();

      assertThat(reason(late.complete(PAID_LATER).toCompletableFuture().join()))
          .isEqualTo(Reason.OWNERSHIP_LOST);
      assertThat(run(connection, operation, PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }
}
