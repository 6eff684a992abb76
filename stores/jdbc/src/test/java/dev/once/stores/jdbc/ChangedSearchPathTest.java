package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a connection looks for tables is what its last user has left it at. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ChangedSearchPathTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT);
  }

  /** Another place with tables of Once; the statement that goes there. */
  private static String elsewhere(DatabaseServer server, String url) throws SQLException {
    if (server instanceof MariaDbServer) {
      String other = DatabaseFixture.database(server);
      return "USE " + other.replaceFirst(".*/", "");
    }
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA other");
      statement.execute("SET search_path = other");
      JdbcStore.migrate(DatabaseFixture.poolOf(connection));
    }
    return "SET search_path = other";
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_connection_that_was_left_elsewhere_does_not_let_a_handler_run_twice(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    ObservedDataSource pool = new ObservedDataSource(DatabaseFixture.dataSource(url));
    String goElsewhere = elsewhere(server, url);
    AtomicInteger runs = new AtomicInteger();
    try (JdbcStore store = JdbcStore.on(pool.asDataSource());
        Once once = Once.on(store)) {
      pool.onConnect = goElsewhere; // from now on, whoever had the connections left them there
      once.run(pay("key"), execution -> paid(runs));
    }
    pool.onConnect = "SELECT 1";
    try (JdbcStore store = JdbcStore.on(pool.asDataSource());
        Once once = Once.on(store)) {
      assertThat(once.run(pay("key"), execution -> paid(runs)))
          .isEqualTo(new Result.Replayed(PAID));
    }
    assertThat(runs).hasValue(1);
  }

  private static Answer paid(AtomicInteger runs) {
    runs.incrementAndGet();
    return PAID;
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_connection_goes_back_to_where_it_was(DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    String goElsewhere = elsewhere(server, url);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(DatabaseServer.jdbcUrl(url));
    config.setMaximumPoolSize(20);
    try (HikariDataSource dataSource = new HikariDataSource(config);
        Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(goElsewhere);
      String before = place(server, connection);
      Dialect dialect = Databases.dialectOf(dataSource);
      try (Session session = new Session(DatabaseFixture.poolOf(connection), dialect)) {
        assertThat(place(server, session.connection())).isNotEqualTo(before);
      }
      assertThat(place(server, connection)).isEqualTo(before);
    }
  }

  private static String place(DatabaseServer server, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                server instanceof MariaDbServer
                    ? "SELECT DATABASE()"
                    : "SELECT current_setting('search_path')")) {
      row.next();
      return row.getString(1);
    }
  }
}
