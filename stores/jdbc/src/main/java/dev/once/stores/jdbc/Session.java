package dev.once.stores.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** A connection that keeps its prepared statements. For one thread at a time. */
final class Session implements AutoCloseable {

  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  Session(DataSource dataSource, boolean autoCommit) throws SQLException {
    connection = dataSource.getConnection();
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** The statement, prepared at its first use, with these parameters. */
  PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  Connection connection() {
    return connection;
  }

  /** Closes the connection; what was not committed is lost. */
  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // A connection that cannot be closed is broken already, and its database will notice.
    }
  }
}
