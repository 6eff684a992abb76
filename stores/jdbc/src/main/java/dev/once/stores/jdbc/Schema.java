package dev.once.stores.jdbc;

import dev.once.core.store.StoreException;
import dev.once.core.store.StoreSetupException;
import dev.once.core.store.StoreSetupException.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tables, and their version. Each version is a file; a database is brought from its version to
 * the current one, in one transaction.
 */
final class Schema {

  /** In each database's folder; the first is version 1. Made so that Flyway takes them too. */
  private static final List<String> SCRIPTS = List.of("V2026.1__once_idempotency_keys.sql");

  static final int VERSION = SCRIPTS.size();

  private static final List<String> COLUMNS =
      List.of(
          "id",
          "tenant",
          "user_id",
          "route",
          "key",
          "request_hash",
          "token",
          "fence",
          "attempt",
          "status",
          "code",
          "created_at",
          "lease_until",
          "completed_at",
          "ttl_at",
          "response_body");

  private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*\\n");

  private Schema() {}

  /** The version of the tables that are there; 0 if there are none. */
  static int version(Session session, Dialect dialect) throws SQLException {
    try (Statement statement = session.connection().createStatement()) {
      try (ResultSet exists = statement.executeQuery(dialect.hasSchema())) {
        if (!exists.next()) {
          return 0;
        }
      }
      try (ResultSet row =
          statement.executeQuery("SELECT * FROM once_meta WHERE name = 'schema'")) {
        return row.next() ? row.getInt("value") : 0;
      }
    }
  }

  /** The version of the tables; refuses any other than this one's. */
  static int require(Session session, Dialect dialect) throws SQLException {
    int version = version(session, dialect);
    refuseNewer(version, dialect);
    if (version == 0 && dialect.isInMemory()) {
      throw new StoreException(
          dialect.name()
              + ": the tables that the store has just made are gone (expected: a database that stays"
              + " while it is open); add DB_CLOSE_DELAY=-1 to its URL, because one in memory ends"
              + " with its last connection",
          null);
    }
    if (version < VERSION) {
      throw new StoreSetupException(
          Problem.TABLES,
          "%s: %s (expected: schema version %d); create or upgrade them with ./once store migrate"
                  .formatted(
                      dialect.name(),
                      version == 0 ? "the tables of Once are missing" : "schema version " + version,
                      VERSION)
              + " URL, with JdbcStore.migrate, or with the file in the jar: Liquibase takes it as it is,"
              + " Flyway needs a history table of its own for it, or a copy of it under your own"
              + " version (docs/databases.md)",
          null);
    }
    requireColumns(session, dialect);
    requireFoundRows(session, dialect);
    return version;
  }

  /**
   * The name is a common one: where a script leaves alone what is there, because it cannot be
   * undone, that may be somebody else's table.
   */
  private static void requireColumns(Session session, Dialect dialect) throws SQLException {
    try (Statement statement = session.connection().createStatement();
        ResultSet row = statement.executeQuery("SELECT * FROM idempotency_keys WHERE 1 = 0")) {
      Set<String> found = new HashSet<>();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        found.add(row.getMetaData().getColumnName(i).toLowerCase(Locale.ROOT));
      }
      if (!found.containsAll(COLUMNS)) {
        throw new StoreException(
            "%s: the table idempotency_keys has other columns, %s (expected: %s); rename it, and then"
                    .formatted(dialect.name(), found, COLUMNS)
                + " create those of Once with ./once store migrate URL",
            null);
      }
    }
  }

  /** A completion that is asked for twice changes its row once, and must be told of it twice. */
  private static void requireFoundRows(Session session, Dialect dialect) throws SQLException {
    String same = "UPDATE once_meta SET name = name WHERE name = 'schema'";
    if (session.prepare(same).executeUpdate() != 1) {
      throw new StoreException(
          dialect.name()
              + ": the driver counts changed rows only (expected: found rows); remove"
              + " useAffectedRows from the connection's options",
          null);
    }
  }

  static JdbcStore.Migration createOrUpgrade(Session session, Dialect dialect) throws SQLException {
    synchronized (dialect.schemaMonitor()) {
      return createOrUpgradeAlone(session, dialect);
    }
  }

  private static JdbcStore.Migration createOrUpgradeAlone(Session session, Dialect dialect)
      throws SQLException {
    return session.inTransaction(
        () -> {
          int from;
          try (Statement statement = session.connection().createStatement()) {
            session.whenClosed(dialect.unlockSchema());
            statement.execute(dialect.lockSchema());
            from = version(session, dialect);
            refuseNewer(from, dialect);
            for (int next = from; next < VERSION; next++) {
              String script = script(dialect.name() + "/" + SCRIPTS.get(next));
              for (String sql :
                  dialect.runsScripts()
                      ? List.of(script)
                      : END_OF_STATEMENT.splitAsStream(script).toList()) {
                statement.execute(sql);
              }
            }
          }
          requireColumns(session, dialect);
          return new JdbcStore.Migration(from, VERSION);
        });
  }

  private static void refuseNewer(int version, Dialect dialect) {
    if (version > VERSION) {
      throw new StoreSetupException(
          Problem.NEWER_TABLES,
          dialect.name()
              + ": schema version "
              + version
              + " (expected: at most "
              + VERSION
              + "); a newer version of Once has used this database, use that version",
          null);
    }
  }

  private static String script(String name) {
    try (InputStream file = Schema.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException(name + ": missing from the jar");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + ": cannot be read from the jar", e);
    }
  }
}
