package dev.once.stores.jdbc;

import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import javax.sql.DataSource;

/** A database of an application, with a table of payments, that has the tables of Once too. */
enum ShopDatabase {
  POSTGRESQL {
    @Override
    String create() {
      return DatabaseFixture.database(PostgresServer.shared());
    }

    @Override
    DataSource dataSource() {
      return DatabaseFixture.dataSource(url());
    }

    @Override
    JdbcStore store() {
      return JdbcStore.on(dataSource());
    }

    @Override
    boolean isWaiting(Thread client) {
      return number(
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                  + " AND datname = current_database()")
          > 0;
    }

    @Override
    String waitAtMost(Duration time) {
      return "SET lock_timeout = " + time.toMillis();
    }
  },

  MARIADB {
    @Override
    String create() {
      return DatabaseFixture.database(MariaDbServer.shared());
    }

    @Override
    DataSource dataSource() {
      return DatabaseFixture.dataSource(url());
    }

    @Override
    JdbcStore store() {
      return JdbcStore.on(dataSource());
    }

    @Override
    boolean isWaiting(Thread client) {
      return number(
              "SELECT variable_value FROM information_schema.global_status"
                  + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'")
          > 0;
    }

    @Override
    String waitAtMost(Duration time) {
      return "SET innodb_lock_wait_timeout = " + Math.max(1, time.toSeconds());
    }
  },

  H2 {
    @Override
    String create() {
      return H2Database.withTables(";LOCK_TIMEOUT=60000");
    }

    @Override
    DataSource dataSource() {
      return H2Database.dataSource(url());
    }

    @Override
    JdbcStore store() {
      return JdbcStore.on(dataSource());
    }

    /** H2 does not tell who waits for an insert: it tries again until the time is up. */
    @Override
    boolean isWaiting(Thread client) {
      return Arrays.stream(client.getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals("org.h2.command.dml.MergeUsing"));
    }

    @Override
    String waitAtMost(Duration time) {
      return "SET LOCK_TIMEOUT " + time.toMillis();
    }
  },

  SQLITE {
    @Override
    String create() {
      try {
        Path file = Files.createTempDirectory("once").resolve("shop.db");
        JdbcStore.migrateSqlite(file);
        return file.toString();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    DataSource dataSource() {
      return new SqliteDialect(Path.of(url())).dataSource();
    }

    @Override
    JdbcStore store() {
      return JdbcStore.sqlite(Path.of(url()));
    }

    /** In process, there is nobody to ask: it is in SQLite, and does not come out of it. */
    @Override
    boolean isWaiting(Thread client) {
      return Arrays.stream(client.getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals("org.sqlite.core.NativeDB"));
    }

    @Override
    String waitAtMost(Duration time) {
      return "PRAGMA busy_timeout = " + time.toMillis();
    }
  };

  private static final Map<ShopDatabase, String> URLS = new EnumMap<>(ShopDatabase.class);

  abstract String create();

  abstract DataSource dataSource();

  abstract JdbcStore store();

  /** Whether this thread waits for a lock of the database. */
  abstract boolean isWaiting(Thread client);

  /** Sets a connection's own limit for that. */
  abstract String waitAtMost(Duration time);

  /** Sets the limit, in no transaction that goes on. */
  final void limitWaiting(Connection connection, Duration time) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(waitAtMost(time));
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  /** That limit, as the server says it. */
  final String waitsAtMost(Connection connection) throws SQLException {
    String query =
        switch (this) {
          case POSTGRESQL -> "SHOW lock_timeout";
          case H2 -> "SELECT LOCK_TIMEOUT()";
          default -> "SELECT @@innodb_lock_wait_timeout";
        };
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  final DatabaseServer server() {
    return this == POSTGRESQL ? PostgresServer.shared() : MariaDbServer.shared();
  }

  /** A literal of these bytes. */
  final String bytes(String hex) {
    return (this == POSTGRESQL ? "'\\x" : "x'") + hex + "'";
  }

  /** Where it is; made at its first use. */
  final String url() {
    synchronized (URLS) {
      if (!URLS.containsKey(this)) {
        URLS.put(this, create());
        execute("CREATE TABLE payments (amount INTEGER NOT NULL)");
      }
      return URLS.get(this);
    }
  }

  /** For another process, which did not make it. */
  final void isAt(String url) {
    synchronized (URLS) {
      URLS.put(this, url);
    }
  }

  final void empty() {
    execute("DELETE FROM idempotency_keys");
    execute("DELETE FROM payments");
  }

  /** Whether it has many writers at a time. */
  final boolean isServer() {
    return this != SQLITE;
  }

  /** A connection with a transaction. */
  final Connection connect() throws SQLException {
    Connection connection = dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  static void pay(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO payments (amount) VALUES (10)");
    }
  }

  final long payments() {
    return number("SELECT count(*) FROM payments");
  }

  final long records() {
    return number("SELECT count(*) FROM idempotency_keys");
  }

  /** Makes every record older by this much: the same as a clock that moved on. */
  final void timePasses(Duration duration) {
    execute(
        """
        UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
            lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
        """
            .formatted(duration.toMillis()));
  }

  final void execute(String sql) {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  final long number(String query) {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }
}
