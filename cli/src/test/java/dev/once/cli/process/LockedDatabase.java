package dev.once.cli.process;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The gateways' SQLite file in the hands of somebody who does not let go of it. */
final class LockedDatabase implements AutoCloseable {

  private final Connection connection;

  LockedDatabase(Path file) throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 30000");
      statement.execute("BEGIN EXCLUSIVE");
    }
  }

  @Override
  public void close() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
    }
    connection.close();
  }

  /** The status of a key in the file, which is not locked for this. */
  static String status(Path file, String key) throws SQLException {
    try (Connection reading = DriverManager.getConnection("jdbc:sqlite:" + file);
        PreparedStatement query =
            reading.prepareStatement(
                "SELECT status FROM idempotency_keys WHERE CAST(key AS TEXT) = ?")) {
      query.setString(1, key);
      try (ResultSet rows = query.executeQuery()) {
        return rows.next() ? rows.getString(1) : "absent";
      }
    }
  }
}
