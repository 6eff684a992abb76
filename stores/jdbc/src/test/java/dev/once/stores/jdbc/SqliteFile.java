package dev.once.stores.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A store's file, as somebody sees it who opens it with SQLite and no store. */
record SqliteFile(Path path) {

  /** Makes every record older by this much: the same as a clock that moved on. */
  void timePasses(Duration duration) {
    execute(
        """
        UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
            lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
        """
            .formatted(duration.toMillis()));
  }

  void execute(String sql) {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  long number(String query) {
    try (Connection connection = connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }

  Connection connection() throws SQLException {
    return dialect().dataSource().getConnection();
  }

  SqliteDialect dialect() {
    return new SqliteDialect(path);
  }

  ObservedDataSource observed() {
    return new ObservedDataSource(dialect().dataSource());
  }
}
