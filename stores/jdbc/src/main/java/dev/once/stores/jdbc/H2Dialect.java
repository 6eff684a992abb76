package dev.once.stores.jdbc;

import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreSetupException;
import dev.once.core.store.StoreSetupException.Problem;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * H2 2.3 and later, in memory, in a file or as a server, in each of its compatibility modes: for
 * applications whose tests run on it. Each step is a statement that commits by itself.
 *
 * <p>What all modes understand is used: {@code MERGE}, which locks the row before it judges it, and
 * {@code FINAL TABLE}, which gives what was written.
 */
final class H2Dialect implements Dialect {

  private static final int LOCK_TIMEOUT = 50200;
  private static final int DEADLOCK = 40001;
  private static final int CONCURRENT_UPDATE = 90131;
  private static final int DUPLICATE_KEY = 23505;
  private static final int CANCELED = 57014;
  private static final int DISK_FULL = 90100;
  private static final int GENERAL = 50000;

  private static final String NOW = "once_now()";

  private static final String MISSING =
      "the tables of Once are missing: JdbcStore.migrate, or once.store.migrate=true";

  private static final String GONE =
      "the tables that the store made are gone: a database in memory ends with its last connection,"
          + " so add DB_CLOSE_DELAY=-1 to its URL; or somebody dropped them";

  /** Where the tables are; null if that is not known. */
  private final @Nullable String schema;

  private final boolean inMemory;

  H2Dialect() {
    this(null, false);
  }

  private H2Dialect(@Nullable String schema, boolean inMemory) {
    this.schema = schema;
    this.inMemory = inMemory;
  }

  /** With the tables in the schema that this connection is in, wherever others are. */
  static H2Dialect on(Connection connection) throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    H2Dialect dialect =
        new H2Dialect(
            connection.getSchema(),
            one(connection, "SELECT DATABASE_PATH() IS NULL").equals("TRUE"));
    if (dialect.inMemory && meta.getURL().endsWith("mem:")) {
      throw new StoreException(
          "h2: a database in memory without a name (expected: jdbc:h2:mem:NAME); each connection"
              + " would be to another one",
          null);
    }
    if (dialect.isTooOld(meta.getDatabaseMajorVersion(), meta.getDatabaseMinorVersion())) {
      throw new StoreSetupException(
          Problem.DATABASE,
          "h2: version %s (expected: 2.3 or later)".formatted(meta.getDatabaseProductVersion()),
          null);
    }
    return dialect;
  }

  @Override
  public boolean isTooOld(int major, int minor) {
    return major < 2 || (major == 2 && minor < 3);
  }

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public String now() {
    return NOW;
  }

  @Override
  public String hasSchema() {
    return "SELECT 1 FROM INFORMATION_SCHEMA.TABLES"
        + " WHERE TABLE_SCHEMA = CURRENT_SCHEMA AND LOWER(TABLE_NAME) = 'once_meta'";
  }

  /** H2 commits each of the script's statements by itself; any of them can be run twice. */
  @Override
  public String lockSchema() {
    return "SELECT 1";
  }

  /** Two that run the script at once can meet an internal error of H2. */
  @Override
  public Object schemaMonitor() {
    return H2Dialect.class;
  }

  @Override
  public boolean runsScripts() {
    return false;
  }

  /**
   * A minute late: no claim is under way which took its fence before the record had its own. Not by
   * {@code DELETE ... WHERE id IN (SELECT ... FOR UPDATE)}: of that H2 2.4.240 deletes too few in
   * every second run.
   */
  @Override
  public String purge() {
    return """
        MERGE INTO idempotency_keys AS k USING (SELECT id FROM idempotency_keys
            WHERE ttl_at <= %1$s AND (ttl_at > 0 OR completed_at <= %1$s)
            ORDER BY ttl_at FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED) AS expired
          ON k.id = expired.id WHEN MATCHED THEN DELETE
        """
        .formatted("(" + NOW + " - 60000)");
  }

  /**
   * The second part has the record if it was left alone, as it was when the statement began: then
   * the first part has waited for nobody, or the record is read again.
   */
  @Override
  public String claim() {
    return """
        SELECT %2$s FROM FINAL TABLE (
          MERGE INTO idempotency_keys AS k
          USING (SELECT CAST(?1 AS BINARY(32)) AS id, CAST(?6 AS VARBINARY(64)) AS request_hash,
              CAST(?7 AS BIGINT) AS token, CAST(?8 AS BIGINT) AS fence, CAST(?9 AS BIGINT) AS lease,
              CAST(?10 AS BIGINT) AS ttl, CAST(?11 AS BOOLEAN) AS takeover, %1$s AS clock) AS c
          ON k.id = c.id
          WHEN MATCHED AND (k.ttl_at <= c.clock OR (c.takeover AND k.status = 'processing'
              AND k.lease_until <= c.clock AND k.request_hash = c.request_hash
              AND k.token <> c.token)) THEN
            UPDATE SET request_hash = c.request_hash, token = c.token,
              fence = NEXT VALUE FOR once_fence + c.fence,
              attempt = CASE WHEN k.ttl_at > c.clock THEN k.attempt + 1 ELSE 1 END,
              created_at = CASE WHEN k.ttl_at > c.clock THEN k.created_at ELSE c.clock END,
              lease_until = c.clock + c.lease, ttl_at = c.clock + c.ttl,
              status = 'processing', code = NULL, completed_at = NULL, response_body = NULL
          WHEN NOT MATCHED THEN
            INSERT (id, tenant, user_id, route, `key`, request_hash, token, fence, attempt, status,
              created_at, lease_until, ttl_at)
            VALUES (c.id, ?2, ?3, ?4, ?5, c.request_hash, c.token,
              NEXT VALUE FOR once_fence + c.fence, 1, 'processing', c.clock, c.clock + c.lease,
              c.clock + c.ttl))
        UNION ALL
        SELECT %2$s FROM idempotency_keys WHERE id = CAST(?1 AS BINARY(32)) AND ttl_at > %1$s
        """
        .formatted(NOW, Sql.columns(NOW));
  }

  /** Between the look of a {@code MERGE} for the record and its insert there is a moment. */
  @Override
  public boolean isInsertedByAnother(SQLException failure) {
    return failure.getErrorCode() == DUPLICATE_KEY;
  }

  /** What is set for longer than the claim may wait is set to that meanwhile. */
  @Override
  public Undo limitClaim(Connection connection, Duration longestWait) throws SQLException {
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new IllegalStateException(
          "h2: isolation level READ UNCOMMITTED (expected: READ COMMITTED or a higher one); it may"
              + " read an answer that is never committed");
    }
    long before = lockTimeout(connection);
    long limit = Math.max(1, longestWait.toMillis());
    if (limit >= before) {
      return () -> {};
    }
    setLockTimeout(connection, limit);
    return () -> setLockTimeout(connection, before);
  }

  private static long lockTimeout(Connection connection) throws SQLException {
    return Long.parseLong(one(connection, "SELECT LOCK_TIMEOUT()"));
  }

  private static String one(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static String lockTimeoutOf(long millis) {
    return "SET LOCK_TIMEOUT " + millis;
  }

  private static void setLockTimeout(Connection connection, long millis) throws SQLException {
    Dialect.execute(connection, lockTimeoutOf(millis));
  }

  @Override
  public @Nullable String reserveFences() {
    return null;
  }

  @Override
  public int maxBatch() {
    return 1;
  }

  @Override
  public int lanes() {
    return 4;
  }

  /** To an interrupted thread the JDK closes the file, and with it H2 closes the database. */
  @Override
  public boolean runsOnCallersThreads() {
    return false;
  }

  /** It writes a commit to its file some time later, and flushes that when it likes. */
  @Override
  public boolean isDurable() {
    return false;
  }

  @Override
  public boolean isInMemory() {
    return inMemory;
  }

  /** The tables are those of the schema that the store was opened in. */
  @Override
  public Undo prepare(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    long timeout = lockTimeout(connection);
    setLockTimeout(connection, LONGEST_LOCK_WAIT.toMillis());
    String place = connection.getSchema();
    boolean elsewhere = schema != null && !schema.equals(place);
    if (elsewhere) {
      connection.setSchema(schema);
    }
    return () -> {
      setLockTimeout(connection, timeout);
      if (elsewhere) {
        connection.setSchema(place);
      }
    };
  }

  /** H2 has no such limit: in this process it is never silent. */
  @Override
  public void limitSilence(Connection connection, Duration longest) {}

  @Override
  public String hurry() {
    return lockTimeoutOf(SHORTEST_LOCK_WAIT.toMillis());
  }

  @Override
  public String afterHurry() {
    return lockTimeoutOf(LONGEST_LOCK_WAIT.toMillis());
  }

  @Override
  public boolean isLockTimeout(SQLException failure) {
    return failure.getErrorCode() == LOCK_TIMEOUT || failure.getErrorCode() == CONCURRENT_UPDATE;
  }

  @Override
  public boolean isCanceled(SQLException failure) {
    return failure.getErrorCode() == CANCELED;
  }

  @Override
  public List<String> undurable() {
    return List.of(
        "SELECT 'the database is in memory' WHERE DATABASE_PATH() IS NULL",
        "SELECT 'H2 writes a commit to its file some time later (WRITE_DELAY)'");
  }

  /** Another process may make the tables too; no {@code IF NOT EXISTS} sees what it is making. */
  @Override
  public boolean isBusy(SQLException failure) {
    return hasRolledBack(failure)
        || switch (failure.getErrorCode()) {
          case 42101, 42111, 90035, 90076 -> true; // a table, index, sequence or alias is there
          case GENERAL -> String.valueOf(failure.getMessage()).contains("object already exists");
          default -> false;
        };
  }

  @Override
  public boolean hasRolledBack(SQLException failure) {
    return failure.getErrorCode() == DEADLOCK
        || isLockTimeout(failure)
        || isCanceled(failure)
        || isInsertedByAnother(failure);
  }

  /** An isolation level that cannot see what another has inserted will not see it later either. */
  @Override
  public Aftermath aftermath(Connection connection, SQLException failure) {
    if (isLockTimeout(failure) || isCanceled(failure)) {
      return Aftermath.BUSY;
    }
    return hasRolledBack(failure) ? Aftermath.TO_BE_ROLLED_BACK : Aftermath.FAILED;
  }

  @Override
  public StoreException explain(String doing, SQLException failure) {
    String message =
        "h2: %s failed, %s (%s)"
            .formatted(doing, withoutStatement(failure), remedy(failure.getErrorCode()));
    return failure.getErrorCode() == DISK_FULL
        ? new OutOfRoomException(message, failure)
        : new StoreException(message, failure);
  }

  /** A page of SQL would stand before what is to be done. */
  private static String withoutStatement(SQLException failure) {
    return String.valueOf(failure.getMessage())
        .replaceFirst("(?s); SQL statement:\\n.*( \\[\\d+-\\d+])$", "$1");
  }

  private String remedy(int code) {
    return switch (code) {
      case 42102, 42103, 42104, 90022, 90036 -> inMemory ? GONE : MISSING;
      case 42122 ->
          "a table of this name is not one of Once: rename it, and then create those of Once";
      case 90040 -> "H2 lets only an administrator create an alias: create the tables as one";
      case 90096 -> "this user may not use the tables of Once: grant it";
      case 28000 -> "the user or its password is wrong";
      case LOCK_TIMEOUT, CONCURRENT_UPDATE ->
          "a transaction of somebody else has the record: find and end it";
      case CANCELED -> "QUERY_TIMEOUT is too short, or somebody canceled it";
      case DISK_FULL -> "the disk is full: make room";
      case 90097 -> "the database is read-only: open it for writing";
      case 90020 -> "another process has the file: end it, or use H2 as a server";
      case 90067 -> "the server of H2 has gone, or the network to it: see that it runs";
      case 90098, 90121 -> "the database was closed: add DB_CLOSE_DELAY=-1 to its URL";
      default -> "see the cause";
    };
  }
}
