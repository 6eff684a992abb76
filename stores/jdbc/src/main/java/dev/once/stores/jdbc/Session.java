package dev.once.stores.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection that keeps its prepared statements, and commits each statement by itself unless told
 * otherwise, or unless it is the application's. For one thread at a time.
 */
final class Session implements AutoCloseable {

  /** What is done between begin and commit. */
  interface Work<T> {
    T run() throws SQLException;
  }

  /** A server that is silent is not waited for when there is nothing more to ask. */
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(1);

  private final Connection connection;
  private final @Nullable Dialect dialect;
  private Duration longestSilence = Dialect.LONGEST_SILENCE;
  private final Set<String> whenClosed = new LinkedHashSet<>();
  private Dialect.Undo undo = () -> {};
  private boolean autoCommitBefore;
  private int isolationBefore;
  private int silenceBefore;
  private boolean tuned;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  Session(DataSource dataSource, Dialect dialect) throws SQLException {
    connection = dataSource.getConnection();
    this.dialect = dialect;
    try {
      autoCommitBefore = connection.getAutoCommit();
      silenceBefore = connection.getNetworkTimeout();
      dialect.limitSilence(connection, longestSilence);
      if (!dialect.isThroughPooler()) {
        isolationBefore = connection.getTransactionIsolation();
      }
      connection.setAutoCommit(true);
      undo = dialect.prepare(connection);
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  /** The application's connection, with its transaction, settings and end left to it. */
  Session(Connection borrowed) {
    this.connection = borrowed;
    this.dialect = null;
  }

  /** The statement, prepared at its first use, with these parameters. */
  PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(dialect == null ? sql : dialect.statement(sql));
      statements.put(sql, statement);
    }
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /**
   * Changes settings, unless that was done before, until the connection is closed.
   *
   * @param undo a query that gives the statement which restores what they are now
   */
  void tune(String settings, String undo) throws SQLException {
    if (tuned || dialect == null || dialect.isThroughPooler()) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery(undo)) {
        row.next();
        whenClosed(row.getString(1));
      }
      statement.execute(settings);
      tuned = true;
    }
  }

  /** Has this executed before the connection is given back. */
  void whenClosed(@Nullable String sql) {
    if (sql != null) {
      whenClosed.add(sql);
    }
  }

  /** Commits the work as one; a session whose work failed is to be closed. */
  <T> T inTransaction(Work<T> work) throws SQLException {
    connection.setAutoCommit(false);
    T result = work.run();
    connection.commit();
    connection.setAutoCommit(true);
    return result;
  }

  /**
   * Commits the work as one, and waits for locks of others for a moment only. If that was too short
   * the session is as it was; after any other failure it is to be closed.
   */
  <T> T inHurry(Work<T> work) throws SQLException {
    Dialect ours = Objects.requireNonNull(dialect);
    boolean tunedBefore = tuned;
    connection.setAutoCommit(false);
    T result;
    try {
      Dialect.execute(connection, ours.hurry());
      result = work.run();
      connection.commit();
    } catch (SQLException e) {
      tuned = tunedBefore; // or it is undone too
      if (ours.isLockTimeout(e)) {
        connection.rollback();
        endHurry(ours);
      }
      throw e;
    }
    endHurry(ours);
    return result;
  }

  private void endHurry(Dialect ours) throws SQLException {
    connection.setAutoCommit(true);
    String after = ours.afterHurry();
    if (after != null) {
      Dialect.execute(connection, after);
    }
  }

  /** From now on, the database may say nothing for so long, or for the longest that is allowed. */
  void limitSilence(Duration limit) throws SQLException {
    Duration longest =
        limit.compareTo(Dialect.LONGEST_SILENCE) < 0 ? limit : Dialect.LONGEST_SILENCE;
    if (dialect != null && !longest.equals(longestSilence)) {
      dialect.limitSilence(connection, longest);
      longestSilence = longest;
    }
  }

  /** Whether the server still answers on it; one round trip. */
  boolean isAlive() {
    try {
      return connection.isValid((int) LONGEST_FAREWELL.toSeconds());
    } catch (Throwable e) { // whatever a driver or a pool throws, the lane needs another one
      return false;
    }
  }

  Connection connection() {
    return connection;
  }

  /**
   * Closes the connection; what was not committed is lost. It may go back to a pool that is the
   * application's and restores nothing, so it is left as it was found. Of a borrowed one, closes
   * the statements.
   */
  @Override
  public void close() {
    if (dialect == null) {
      statements.values().forEach(Session::close);
      return;
    }
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback(); // a pool may not do that, and a driver may commit
        connection.setAutoCommit(true); // else what follows would be undone with a transaction
      }
      limitSilence(LONGEST_FAREWELL);
      for (String sql : whenClosed) {
        Dialect.execute(connection, sql);
      }
      undo.run();
      if (!dialect.isThroughPooler() && connection.getTransactionIsolation() != isolationBefore) {
        connection.setTransactionIsolation(isolationBefore);
      }
      connection.setNetworkTimeout(Runnable::run, silenceBefore);
      connection.setAutoCommit(autoCommitBefore);
    } catch (SQLException | RuntimeException e) {
      // It is broken already, and its database will notice.
    }
    close(connection);
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      // As above.
    }
  }
}
