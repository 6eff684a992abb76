package dev.once.stores.jdbc;

import dev.once.core.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The tables, and their version. Each version is a file in this package; a database is brought from
 * its version to the current one, in one transaction.
 */
final class Schema {

  static final int VERSION = 1;

  private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*\\n");

  private Schema() {}

  static void createOrUpgrade(Session session, Dialect dialect) throws SQLException {
    int version = version(session, dialect);
    if (version > VERSION) {
      throw new StoreException(
          dialect.name()
              + ": schema version "
              + version
              + " (expected: at most "
              + VERSION
              + "); a newer version of Once has used this database, use that version",
          null);
    }
    try (Statement statement = session.connection().createStatement()) {
      for (int next = version + 1; next <= VERSION; next++) {
        for (String sql : statements(dialect.name() + "-" + next + ".sql")) {
          statement.execute(sql);
        }
      }
    }
    session.connection().commit();
  }

  private static int version(Session session, Dialect dialect) throws SQLException {
    try (Statement statement = session.connection().createStatement()) {
      try (ResultSet exists = statement.executeQuery(dialect.hasSchema())) {
        if (!exists.next()) {
          return 0;
        }
      }
      try (ResultSet row =
          statement.executeQuery("SELECT value FROM once_meta WHERE name = 'schema'")) {
        return row.next() ? row.getInt(1) : 0;
      }
    }
  }

  private static List<String> statements(String name) {
    try (InputStream file = Schema.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException(name + ": missing from the jar");
      }
      String script = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return END_OF_STATEMENT.splitAsStream(script).toList();
    } catch (IOException e) {
      throw new IllegalStateException(name + ": cannot be read from the jar", e);
    }
  }
}
