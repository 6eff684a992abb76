package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A lane keeps its connection while nobody needs it, and a server ends those that are not used
 * ({@code wait_timeout}, {@code idle_session_timeout}), as networks do. A pool looks before it
 * gives one; so does a lane.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DeadConnectionsTest {

  private static final Duration HOUR = Duration.ofHours(1);

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  /** Never trusts a connection that it has used before. */
  private static JdbcStore store(DataSource dataSource) {
    return JdbcStore.on(
        dataSource, any -> new Connections(2, true, 1, false, HOUR, Duration.ZERO), () -> {});
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_lane_whose_connection_was_ended_while_it_was_idle_gets_a_new_one(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    try (JdbcStore store = store(DatabaseFixture.dataSource(url))) {
      assertThat(claim(store, "before")).isInstanceOf(Claim.Granted.class);
      endAll(server, url);
      assertThat(claim(store, "after")).isInstanceOf(Claim.Granted.class);
      assertThat(claim(store, "and after that")).isInstanceOf(Claim.Granted.class);
    }
  }

  /** A lane's thread that ended with it would take the store along. */
  @Test
  void a_driver_that_cannot_be_asked_whether_it_is_connected_is_asked_for_a_new_connection()
      throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    try (JdbcStore store = store(withoutIsValid(DatabaseFixture.dataSource(url)))) {
      for (int i = 0; i < 5; i++) { // more than there are lanes
        assertThat(claim(store, "key " + i)).isInstanceOf(Claim.Granted.class);
      }
    }
  }

  private static DataSource withoutIsValid(DataSource plain) {
    return proxy(
        DataSource.class,
        (source, method, arguments) -> {
          Connection connection = plain.getConnection();
          return proxy(
              Connection.class,
              (itself, called, with) -> {
                if (called.getName().equals("isValid")) {
                  throw new AbstractMethodError("isValid");
                }
                try {
                  return called.invoke(connection, with);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            DeadConnectionsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Claim claim(JdbcStore store, String key) throws Exception {
    ClaimRequest request =
        new ClaimRequest(
            new OperationId(Scope.GLOBAL, Key.of(key)),
            Fingerprint.of("pay"),
            1,
            HOUR,
            HOUR,
            false);
    return store.claim(request).toCompletableFuture().get(300, TimeUnit.SECONDS);
  }

  /** All connections to this database, and waits until they are gone. */
  private static void endAll(DatabaseServer server, String url) throws Exception {
    boolean postgres = server instanceof PostgresServer;
    try (Connection connection = DatabaseServer.connect(server.url());
        Statement statement = connection.createStatement()) {
      List<Long> ids = ids(statement, postgres, url);
      assertThat(ids).isNotEmpty();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!ids.isEmpty()) {
        assertThat(System.nanoTime() - deadline).as("still connected").isNegative();
        for (long id : ids) {
          end(statement, postgres, id);
        }
        Thread.sleep(10);
        ids = ids(statement, postgres, url);
      }
    }
  }

  private static void end(Statement statement, boolean postgres, long id) {
    try {
      statement.execute(
          postgres ? "SELECT pg_terminate_backend(" + id + ")" : "KILL CONNECTION " + id);
    } catch (SQLException e) {
      // It has ended meanwhile.
    }
  }

  private static List<Long> ids(Statement statement, boolean postgres, String url)
      throws SQLException {
    String name = url.replaceAll("\\?.*", "").replaceAll(".*/", "");
    List<Long> ids = new ArrayList<>();
    try (ResultSet row =
        statement.executeQuery(
            postgres
                ? "SELECT pid FROM pg_stat_activity WHERE datname = '" + name + "'"
                : "SELECT id FROM information_schema.processlist WHERE db = '" + name + "'")) {
      while (row.next()) {
        ids.add(row.getLong(1));
      }
    }
    return ids;
  }
}
