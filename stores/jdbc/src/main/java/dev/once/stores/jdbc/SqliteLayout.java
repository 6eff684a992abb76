package dev.once.stores.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * What a SQLite file is for ever, from its first page on: the size of its pages, and that it can
 * shrink. The driver sets its options in no particular order, and after the log is chosen it is too
 * late for these.
 */
final class SqliteLayout {

  private static final Logger log = LoggerFactory.getLogger(JdbcStore.class);

  /** Fewer and larger writes than with SQLite's own choice of 4096: the calls cost most. */
  private static final int PAGE_BYTES = 8192;

  /** What is rewritten while a gateway waits to be ready. */
  private static final long SMALL = 64L * 1024 * 1024;

  private static final int INCREMENTAL = 2;

  private static final String FOREIGN_TABLES =
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
          + " AND name NOT IN ('idempotency_keys', 'once_meta')";

  private final Path file;
  private final DataSource dataSource;

  SqliteLayout(Path file, DataSource dataSource) {
    this.file = file;
    this.dataSource = dataSource;
  }

  /** Of the file, with none of the options that would be taken for its layout. */
  static SqliteLayout of(Path file, Duration busyTimeout) {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout((int) busyTimeout.toMillis());
    SQLiteDataSource dataSource = new SQLiteDataSource(config);
    dataSource.setUrl("jdbc:sqlite:" + file);
    return new SqliteLayout(file, dataSource);
  }

  /**
   * Lays a new file out. One that was made before, and cannot shrink, is rewritten if that is quick
   * or asked for, and nobody else uses it; that also ends copies of what it once deleted. A
   * database that has tables of an application is the application's, and left as it is.
   *
   * @param asked whether somebody asked for it: then it may be large, and a failure is theirs to
   *     know. At a start it is a favour, for which nothing stops.
   * @return whether all in it is Once's
   */
  boolean prepare(boolean asked) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      if (number(statement, FOREIGN_TABLES) > 0) {
        return false;
      }
      long pages = number(statement, "PRAGMA page_count");
      if (pages == 0) {
        statement.execute("PRAGMA page_size = " + PAGE_BYTES);
        statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
        statement.execute("PRAGMA journal_mode = WAL");
      } else if (number(statement, "PRAGMA auto_vacuum") != INCREMENTAL) {
        long bytes = pages * number(statement, "PRAGMA page_size");
        if (asked || bytes <= SMALL) {
          rewrite(statement, bytes, asked);
        } else {
          log.warn(
              "{}: {} MB, made by an older version: it does not shrink, and copies of what was"
                  + " deleted may be in it; run once store migrate while nobody uses it",
              file,
              bytes >> 20);
        }
      }
      return true;
    }
  }

  private void rewrite(Statement statement, long bytes, boolean asked) throws SQLException {
    try {
      statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
      statement.execute("VACUUM");
      log.info("{}: rewritten ({} KB), so that it can shrink", file, bytes >> 10);
    } catch (SQLException e) {
      if (new SqliteDialect(file).isBusy(e)) {
        log.info(
            "{}: in use, so it was not rewritten now; tried again when it is opened next", file);
      } else if (asked) {
        throw e;
      } else {
        log.warn(
            "{}: made by an older version, and could not be rewritten: {}; it is used as it is, does"
                + " not shrink, and copies of what was deleted may be in it. Make room for twice its"
                + " {} KB, there and in the temporary folder, and run once store migrate",
            file,
            e.getMessage(),
            bytes >> 10);
      }
    }
  }

  static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }
}
