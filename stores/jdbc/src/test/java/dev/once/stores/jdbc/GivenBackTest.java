package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.StoreException;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Not every pool restores what its users change: the application's connections are left alone. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class GivenBackTest {

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  /** What the application has set up, none of it as Once or the server would. */
  private static Connection ofApplication(String url) throws SQLException {
    Connection connection = DatabaseServer.connect(url);
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    connection.setNetworkTimeout(Runnable::run, 54_321);
    try (Statement statement = connection.createStatement()) {
      if (url.startsWith("postgresql")) {
        statement.execute("SET lock_timeout = 4321");
        statement.execute("SET synchronous_commit = off");
      } else {
        statement.execute("SET innodb_lock_wait_timeout = 43");
      }
    }
    connection.setAutoCommit(false);
    return connection;
  }

  private static List<Object> settings(Connection connection) throws SQLException {
    String query =
        connection.getMetaData().getURL().contains("postgresql")
            ? "SELECT current_setting('lock_timeout'), current_setting('synchronous_commit')"
            : "SELECT @@innodb_lock_wait_timeout, IS_USED_LOCK('once_schema')";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return List.of(
          connection.getAutoCommit(),
          connection.getTransactionIsolation(),
          connection.getNetworkTimeout(),
          String.valueOf(row.getString(1)),
          String.valueOf(row.getString(2)));
    } finally {
      connection.rollback();
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_connection_is_given_back_as_it_was(DatabaseServer server) throws Exception {
    String url = server.newDatabase();
    try (Connection connection = ofApplication(url)) {
      List<Object> before = settings(connection);

      JdbcStore.migrate(DatabaseFixture.poolOf(connection));

      assertThat(settings(connection)).isEqualTo(before);
    }
    JdbcStore.open(url).close();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_connection_is_given_back_as_it_was_also_after_a_failure(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    try (Connection connection = ofApplication(url)) {
      List<Object> before = settings(connection);
      try (Connection other = DatabaseServer.connect(url);
          Statement statement = other.createStatement()) {
        statement.execute("UPDATE once_meta SET value = 2");
      }

      assertThatThrownBy(() -> JdbcStore.migrate(DatabaseFixture.poolOf(connection)))
          .isInstanceOf(StoreException.class);

      assertThat(settings(connection)).isEqualTo(before);
    }
  }
}
