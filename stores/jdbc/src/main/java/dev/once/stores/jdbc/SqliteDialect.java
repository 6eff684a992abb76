package dev.once.stores.jdbc;

import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** SQLite: a file, shared by the processes of one machine. */
final class SqliteDialect implements Dialect {

  private static final Logger log = LoggerFactory.getLogger(JdbcStore.class);

  private static final String NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

  /** How long a write waits for another process's transaction. */
  private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(4);

  private static final int CACHE_KIB = 64 * 1024;

  /** 32 MiB: fewer, longer checkpoints than SQLite's own choice of 4. */
  private static final int WAL_PAGES_BEFORE_CHECKPOINT = 4096;

  /** A log that grew because somebody read for long does not stay so large. */
  private static final int LARGEST_IDLE_WAL = 64 * 1024 * 1024;

  /** Given back to the disk in one transaction: 16 MiB. */
  private static final int MAX_PAGES_GIVEN_BACK = 2048;

  private static final Duration LONGEST_WAIT_TO_EMPTY_WAL = Duration.ofMillis(250);

  private final Path file;

  SqliteDialect(Path file) {
    this.file = file;
  }

  /** The file, with a write-ahead log that is flushed to disk at each commit. */
  DataSource dataSource() {
    SqliteLibrary.load();
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout((int) BUSY_TIMEOUT.toMillis());
    config.setCacheSize(-CACHE_KIB);
    config.setJournalSizeLimit(LARGEST_IDLE_WAL);
    // What is deleted is overwritten, in the file and on its free pages.
    config.setPragma(SQLiteConfig.Pragma.SECURE_DELETE, "true");
    for (SQLiteConfig.Pragma pragma : SQLiteConfig.Pragma.values()) {
      // By its name: the driver that Spring Boot 3 brings does not know it, and does without.
      if (pragma.name().equals("WAL_AUTOCHECKPOINT")) {
        config.setPragma(pragma, Integer.toString(WAL_PAGES_BEFORE_CHECKPOINT));
      }
    }
    SQLiteDataSource dataSource = new SQLiteDataSource(config);
    dataSource.setUrl("jdbc:sqlite:" + file);
    return dataSource;
  }

  /**
   * Makes the file as it is to be, before anything is read from it or written to it.
   *
   * @param asked whether somebody asked for it, and may wait until a large file is rewritten
   * @return whether all in it is Once's
   */
  boolean prepareFile(boolean asked) throws SQLException {
    SqliteLibrary.load();
    SqliteFiles.create(file);
    boolean ours = SqliteLayout.of(file, BUSY_TIMEOUT).prepare(asked);
    if (ours) {
      SqliteFiles.closeToOthers(file);
    }
    return ours;
  }

  @Override
  public String name() {
    return "sqlite";
  }

  @Override
  public String now() {
    return NOW;
  }

  @Override
  public String hasSchema() {
    return "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'once_meta'";
  }

  /** Waits for nobody: the transaction that creates the tables is the first to write. */
  @Override
  public String lockSchema() {
    return "SELECT 1";
  }

  @Override
  public boolean runsScripts() {
    return false;
  }

  @Override
  public String claim() {
    return """
        INSERT INTO idempotency_keys AS k (id, tenant, user_id, route, key, request_hash, token,
            fence, attempt, status, created_at, lease_until, ttl_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ? + (SELECT value FROM once_meta WHERE name = 'fence'), 1,
            'processing', %1$s, %1$s + ?, %1$s + ?)
        ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash,
            token = excluded.token, fence = excluded.fence,
            attempt = CASE WHEN k.ttl_at > %1$s THEN k.attempt + 1 ELSE 1 END,
            created_at = CASE WHEN k.ttl_at > %1$s THEN k.created_at ELSE %1$s END,
            lease_until = excluded.lease_until, ttl_at = excluded.ttl_at,
            status = 'processing', code = NULL, completed_at = NULL, response_body = NULL
        WHERE k.ttl_at <= %1$s OR (? AND k.status = 'processing' AND k.lease_until <= %1$s
            AND k.request_hash = excluded.request_hash AND k.token <> excluded.token)
        RETURNING %2$s
        """
        .formatted(NOW, Sql.columns(NOW));
  }

  @Override
  public String reserveFences() {
    return "UPDATE once_meta SET value = value + ? WHERE name = 'fence' RETURNING value";
  }

  @Override
  public int maxBatch() {
    return 256;
  }

  @Override
  public int lanes() {
    return 1;
  }

  @Override
  public boolean hasOneWriter() {
    return true;
  }

  /** The data source is our own, and has all settings. */
  @Override
  public Undo prepare(Connection connection) {
    return () -> {};
  }

  @Override
  public void limitSilence(Connection connection, Duration longest) throws SQLException {
    Duration wait = longest.compareTo(BUSY_TIMEOUT) < 0 ? longest : BUSY_TIMEOUT;
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = " + wait.toMillis());
    }
  }

  /** Never asked: see {@link #isLockTimeout}. */
  @Override
  public String hurry() {
    return "SELECT 1";
  }

  /** Its one lock is the whole file's: who waits for that has not met the same key. */
  @Override
  public boolean isLockTimeout(SQLException failure) {
    return false;
  }

  @Override
  public String purge() {
    return """
        DELETE FROM idempotency_keys WHERE rowid IN (
          SELECT rowid FROM idempotency_keys WHERE status <> 'processing' AND ttl_at <= %1$s
          UNION ALL
          SELECT rowid FROM idempotency_keys WHERE status = 'processing' AND ttl_at <= %1$s
          LIMIT ?)
        """
        .formatted(NOW);
  }

  /** Keeps some free pages for the answers to come: a quarter of those in use. */
  @Override
  public void giveBackRoom(Session session) throws SQLException {
    try (Statement statement = session.connection().createStatement()) {
      long free = SqliteLayout.number(statement, "PRAGMA freelist_count");
      long used = SqliteLayout.number(statement, "PRAGMA page_count") - free;
      long excess = Math.min(free - used / 4, MAX_PAGES_GIVEN_BACK);
      if (excess > 0) {
        // As an update the driver runs it to its end; it is a step for each page.
        statement.executeUpdate("PRAGMA incremental_vacuum(" + excess + ")");
      }
    }
  }

  /** What was deleted is still in the log, until that is written back and emptied. */
  @Override
  public void forgetDeleted(Session session) {
    try (Statement statement = session.connection().createStatement()) {
      session.limitSilence(LONGEST_WAIT_TO_EMPTY_WAL); // for whoever reads; else the next time
      statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (SQLException e) {
      log.warn(
          "{}: write-ahead log not emptied after a purge, tried again after the next one: {}",
          file,
          e.toString());
    }
  }

  @Override
  public List<String> undurable() {
    return List.of();
  }

  @Override
  public StoreException explain(String doing, SQLException failure) {
    String remedy = failure instanceof SQLiteException e ? remedy(kind(e)) : "see the cause";
    String message = "%s: %s failed, %s (%s)".formatted(file, doing, failure.getMessage(), remedy);
    return failure instanceof SQLiteException e && isDisk(kind(e))
        ? new OutOfRoomException(message, failure)
        : new StoreException(message, failure);
  }

  @Override
  public boolean isBusy(SQLException failure) {
    return failure instanceof SQLiteException e
        && (kind(e) == SQLiteErrorCode.SQLITE_BUSY || kind(e) == SQLiteErrorCode.SQLITE_LOCKED);
  }

  /** Whatever was busy for so long will be for longer. */
  @Override
  public boolean hasRolledBack(SQLException failure) {
    return false;
  }

  /** What has been read is no longer so, and cannot be written; or another has the file. */
  @Override
  public Aftermath aftermath(Connection connection, SQLException failure) {
    if (failure instanceof SQLiteException e
        && e.getResultCode() == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT) {
      return Aftermath.TO_BE_ROLLED_BACK;
    }
    return isBusy(failure) ? Aftermath.BUSY : Aftermath.FAILED;
  }

  /** The low byte is the kind of an error; SQLite adds details above it. */
  private static SQLiteErrorCode kind(SQLiteException failure) {
    return SQLiteErrorCode.getErrorCode(failure.getResultCode().code & 0xff);
  }

  /** A quota is told as an error of the disk. */
  private static boolean isDisk(SQLiteErrorCode kind) {
    return kind == SQLiteErrorCode.SQLITE_FULL || kind == SQLiteErrorCode.SQLITE_IOERR;
  }

  private String remedy(SQLiteErrorCode kind) {
    return switch (kind) {
      case SQLITE_BUSY, SQLITE_LOCKED ->
          "another process has held the file for more than " + BUSY_TIMEOUT + ": find and end it";
      case SQLITE_FULL -> "the disk or the file's size limit is full: make room";
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
          "the file or its folder cannot be written: give this user the right to write both";
      case SQLITE_CANTOPEN -> Objects.requireNonNullElse(SqliteCheck.error(file), "see the cause");
      case SQLITE_CORRUPT, SQLITE_NOTADB ->
          "the file is damaged, or not a SQLite database: restore a copy, or name another file";
      case SQLITE_IOERR -> "the disk failed or is full: see the system's log";
      default -> "see the cause";
    };
  }
}
