package dev.once.stores.jdbc;

import static dev.once.stores.jdbc.ShopClient.PAID;
import static dev.once.stores.jdbc.ShopClient.TRANSACTIONS;
import static dev.once.stores.jdbc.ShopClient.pay;
import static dev.once.stores.jdbc.ShopClient.run;
import static dev.once.stores.jdbc.ShopClient.waitingDuplicate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Result;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only one database does, and must not become a second run or a silent success. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DialectTransactionsTest {

  private static ShopDatabase empty(ShopDatabase shop) {
    shop.url();
    shop.empty();
    return shop;
  }

  private static Execution begin(Connection connection) throws SQLException {
    return ((Begun.Proceed) TRANSACTIONS.begin(connection, pay("key"))).execution();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void on_postgresql_a_handler_that_hides_a_failed_statement_cannot_record_an_answer()
      throws Exception {
    ShopDatabase shop = empty(ShopDatabase.POSTGRESQL);
    try (Connection connection = shop.connect()) {
      Execution execution = begin(connection);
      ShopDatabase.pay(connection);
      assertThatThrownBy(() -> execute(connection, "SELECT 1 / 0"))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> execution.complete(PAID)).hasCauseInstanceOf(SQLException.class);
      connection.rollback();
    }
    assertThat(shop.payments()).isZero();
    assertThat(shop.records()).isZero();
  }

  @Test
  void on_mariadb_a_handler_that_hides_a_deadlock_cannot_record_an_answer() throws Exception {
    ShopDatabase shop = empty(ShopDatabase.MARIADB);
    shop.execute("INSERT INTO payments (amount) VALUES (1)");
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      Execution execution = begin(first);
      for (int i = 0; i < 100; i++) { // who wrote more is not the one to be undone
        ShopDatabase.pay(second);
      }
      execute(second, "UPDATE payments SET amount = 2 WHERE amount = 1");
      FutureTask<Result> other = waitingDuplicate(shop, second, pay("key"));
      assertThatThrownBy(() -> execute(first, "UPDATE payments SET amount = 3 WHERE amount = 1"))
          .isInstanceOf(SQLException.class);
      assertThat(other.get()).isInstanceOf(Result.Executed.class);
      assertThatThrownBy(() -> execution.complete(PAID))
          .hasCauseInstanceOf(SQLTransactionRollbackException.class)
          .hasMessageContaining("its claim is gone");
    }
  }

  @Test
  void on_mariadb_snapshot_isolation_hides_the_answer_and_says_to_roll_back() throws Exception {
    ShopDatabase shop = empty(ShopDatabase.MARIADB);
    try (Connection first = shop.connect();
        Connection second = shop.connect()) {
      execute(second, "SET SESSION innodb_snapshot_isolation = ON");
      second.commit();
      execute(second, "SELECT count(*) FROM idempotency_keys");
      run(first, pay("key"), PAID);
      first.commit();
      assertThatThrownBy(() -> run(second, pay("key"), PAID))
          .isInstanceOf(SQLTransactionRollbackException.class)
          .hasMessageContaining("roll back and try again");
      second.rollback();
      assertThat(run(second, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void on_mariadb_a_timeout_that_undoes_everything_is_not_called_busy() throws Exception {
    try (MariaDbServer server = MariaDbServer.start(Map.of("innodb-rollback-on-timeout", "ON"))) {
      String url = DatabaseFixture.database(server);
      try (Connection first = DatabaseServer.connect(url);
          Connection second = DatabaseServer.connect(url)) {
        first.setAutoCommit(false);
        second.setAutoCommit(false);
        begin(first);
        execute(second, "SET innodb_lock_wait_timeout = 1");
        assertThatThrownBy(() -> begin(second))
            .isInstanceOf(SQLTransactionRollbackException.class)
            .hasMessageContaining("roll back and try again");
      }
    }
  }
}
