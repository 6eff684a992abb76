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
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.Begun;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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

/** Where there is more than one writer at a time. */
@ParameterizedClass
@EnumSource(
    value = ShopDatabase.class,
    names = {"POSTGRESQL", "MARIADB", "H2"})
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ServerTransactionsTest {

  @Parameter ShopDatabase shop;

  @BeforeEach
  void empty() {
    shop.url();
    shop.empty();
  }

  @Test
  void a_deadlock_is_reported_to_one_who_can_try_again() throws Exception {
    assumeTrue(shop != ShopDatabase.H2, "H2 sees no deadlock among new keys: H2Test");
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("a"), PAID);
      run(second, pay("b"), PAID);
      FutureTask<Result> duplicate = waitingDuplicate(shop, second, pay("a"));
      List<Throwable> failures = new ArrayList<>();
      try {
        run(first, pay("b"), PAID);
        first.commit();
      } catch (SQLException e) {
        first.rollback();
        failures.add(e);
      }
      try {
        duplicate.get();
      } catch (ExecutionException e) {
        second.rollback();
        failures.add(e.getCause());
      }
      assertThat(failures)
          .singleElement()
          .isInstanceOf(SQLTransactionRollbackException.class)
          .asString()
          .contains("roll back and try again");
    }
    assertThat(shop.payments()).isEqualTo(2);
  }

  @Test
  void a_duplicate_of_a_long_transaction_is_busy_soon_and_what_it_wrote_before_is_kept()
      throws Exception {
    JdbcTransactions transactions = JdbcTransactions.create();
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      run(first, pay("key"), PAID);
      ShopDatabase.pay(second);
      assertThat(reason(transactions.run(second, pay("key"), any -> PAID_LATER)))
          .isEqualTo(Reason.BUSY);
      second.commit();
      first.commit();
      assertThat(transactions.run(second, pay("key"), any -> PAID_LATER))
          .isEqualTo(new Result.Replayed(PAID));
    }
    assertThat(shop.payments()).isEqualTo(2);
  }

  @Test
  void a_claim_leaves_the_transaction_as_patient_as_it_was() throws Exception {
    try (Connection connection = shop.connect();
        Connection other = shop.connect()) {
      for (int seconds : new int[] {0, 1, 70}) {
        shop.limitWaiting(connection, Duration.ofSeconds(seconds));
        String before = shop.waitsAtMost(connection);
        run(connection, pay("key " + seconds), PAID);
        assertThat(shop.waitsAtMost(connection)).isEqualTo(before);
        run(other, pay("taken " + seconds), PAID);
        Begun refused =
            TRANSACTIONS.begin(connection, pay("taken " + seconds), Duration.ofMillis(10));
        assertThat(refused).isInstanceOf(Begun.Refuse.class);
        assertThat(shop.waitsAtMost(connection)).isEqualTo(before);
        connection.commit();
        other.commit();
        assertThat(shop.waitsAtMost(connection)).isEqualTo(before);
      }
    }
    assertThat(shop.payments()).isEqualTo(6);
  }

  @Test
  void a_claim_that_takes_longer_than_the_transactions_statements_may_is_busy() throws Exception {
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      try (Statement statement = second.createStatement()) {
        statement.execute(limitStatements());
      }
      second.commit();
      run(first, pay("key"), PAID);
      assertThat(reason(run(second, pay("key"), PAID))).isEqualTo(Reason.BUSY);
      first.commit();
      assertThat(run(second, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void keys_that_transactions_have_are_busy_to_a_store_and_keep_no_others_waiting()
      throws Exception {
    try (JdbcStore store = shop.store();
        Once once = Once.builder(store).storeTimeout(Duration.ofSeconds(60)).build();
        Connection first = shop.connect()) {
      int lanes = shop == ShopDatabase.MARIADB ? 8 : 2;
      for (int i = 0; i < lanes; i++) {
        run(first, pay("taken " + i), PAID);
      }
      List<CompletableFuture<Result>> taken = new ArrayList<>();
      List<CompletableFuture<Result>> free = new ArrayList<>();
      for (int i = 0; i < lanes; i++) {
        taken.add(later(once, pay("taken " + i)));
        for (int j = 0; j < 20; j++) {
          free.add(later(once, pay("free " + i + " " + j)));
        }
      }
      for (CompletableFuture<Result> result : free) {
        assertThat(result.join()).isEqualTo(new Result.Executed(PAID_LATER, true));
      }
      for (CompletableFuture<Result> result : taken) {
        assertThat(reason(result.join())).isEqualTo(Reason.BUSY);
      }
      first.commit();
      assertThat(later(once, pay("taken 0")).join()).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void one_lock_timeout_answers_all_duplicates_of_a_key_and_no_other_key_waits_for_each_of_them()
      throws Exception {
    try (JdbcStore store = shop.store();
        Once once = Once.builder(store).storeTimeout(Duration.ofSeconds(20)).build();
        Connection first = shop.connect()) {
      run(first, pay("taken"), PAID);
      List<CompletableFuture<Result>> taken = new ArrayList<>();
      List<CompletableFuture<Result>> free = new ArrayList<>();
      for (int i = 0; i < 300; i++) { // a second for each would be far more than the time limit
        taken.add(later(once, pay("taken")));
        free.add(later(once, pay("free " + i)));
      }
      for (CompletableFuture<Result> result : free) {
        assertThat(result.join()).isEqualTo(new Result.Executed(PAID_LATER, true));
      }
      for (CompletableFuture<Result> result : taken) {
        assertThat(reason(result.join())).isEqualTo(Reason.BUSY);
      }
      first.commit();
      assertThat(later(once, pay("taken")).join()).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void a_statement_timeout_shorter_than_the_lock_timeout_is_busy_too_and_not_a_store_that_is_down()
      throws Exception {
    ObservedDataSource strict = new ObservedDataSource(shop.dataSource());
    strict.onConnect = limitStatements();
    try (JdbcStore store = JdbcStore.on(strict.asDataSource());
        Once once = Once.builder(store).storeTimeout(Duration.ofSeconds(60)).build();
        Connection first = shop.connect()) {
      run(first, pay("taken"), PAID);
      for (int i = 0; i < 3; i++) {
        List<CompletableFuture<Result>> free = new ArrayList<>();
        CompletableFuture<Result> taken = later(once, pay("taken"));
        for (int j = 0; j < 20; j++) {
          free.add(later(once, pay("free " + i + " " + j)));
        }
        for (CompletableFuture<Result> result : free) {
          assertThat(result.join()).isEqualTo(new Result.Executed(PAID_LATER, true));
        }
        assertThat(reason(taken.join())).isEqualTo(Reason.BUSY);
      }
    }
  }

  private String limitStatements() {
    return switch (shop) {
      case POSTGRESQL -> "SET statement_timeout = 300";
      case H2 -> "SET QUERY_TIMEOUT 300";
      default -> "SET max_statement_time = 0.3";
    };
  }

  private static CompletableFuture<Result> later(Once once, Operation operation) {
    return once.runAsync(operation, any -> CompletableFuture.completedFuture(PAID_LATER))
        .toCompletableFuture();
  }

  @Test
  void a_store_gives_connections_back_as_patient_as_they_were() throws Exception {
    try (Connection pooled = shop.dataSource().getConnection()) {
      Dialect dialect = Databases.dialectNamed(pooled.getMetaData().getDatabaseProductName());
      shop.limitWaiting(pooled, Duration.ofSeconds(7));
      try (Session session = new Session(DatabaseFixture.poolOf(pooled), dialect)) {
        assertThat(shop.waitsAtMost(session.connection())).startsWith("1");
      }
      assertThat(shop.waitsAtMost(pooled)).startsWith("7");
    }
  }

  @Test
  void a_transaction_that_may_only_read_is_told_why_it_cannot_claim() throws Exception {
    assumeTrue(shop != ShopDatabase.H2, "H2 has no such transactions");
    try (Connection connection = shop.connect()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET TRANSACTION READ ONLY");
      }
      assertThatThrownBy(() -> run(connection, pay("key"), PAID))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("is read-only");
    }
  }

  @Test
  void missing_tables_are_named_with_what_to_do() throws Exception {
    String url = shop == ShopDatabase.H2 ? H2Database.newDatabase("") : shop.server().newDatabase();
    try (Connection connection = DatabaseFixture.dataSource(url).getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> run(connection, pay("key"), PAID))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining(
              "the tables of Once are missing: "
                  + (shop == ShopDatabase.H2 ? "JdbcStore.migrate" : "./once store migrate URL"));
    }
  }
}
