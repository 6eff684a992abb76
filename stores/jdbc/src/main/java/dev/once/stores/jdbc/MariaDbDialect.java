package dev.once.stores.jdbc;

import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB 10.6 and later. Each step is a statement that commits by itself, on several connections:
 * the server lets commits of several connections share a flush, and a client that stops in the
 * middle holds no lock.
 */
final class MariaDbDialect implements Dialect {

  private static final Set<Integer> DISK_FULL = Set.of(1021, 1114, 3);

  /** Without a session's time zone, and without the hour that comes twice a year. */
  private static final String NOW =
      "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000";

  private static final String LIMIT_LOCK_WAIT =
      "SET innodb_lock_wait_timeout = " + LONGEST_LOCK_WAIT.toSeconds();

  /** Where the tables are; null if that is not known. */
  private final @Nullable String database;

  MariaDbDialect() {
    this(null);
  }

  private MariaDbDialect(@Nullable String database) {
    this.database = database;
  }

  /** With the tables in the database that this connection is in, wherever others are. */
  static MariaDbDialect on(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT DATABASE()")) {
      row.next();
      return new MariaDbDialect(row.getString(1));
    }
  }

  @Override
  public boolean isTooOld(int major, int minor) {
    return major < 10 || (major == 10 && minor < 6);
  }

  @Override
  public String longestStatement() {
    return "SELECT @@max_allowed_packet";
  }

  @Override
  public List<String> missingPrivileges(Statement statement) throws SQLException {
    return Privileges.missingInMariaDb(statement);
  }

  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public String now() {
    return "(" + NOW + ")";
  }

  @Override
  public String hasSchema() {
    return "SELECT 1 FROM information_schema.tables"
        + " WHERE table_schema = DATABASE() AND table_name = 'once_meta'";
  }

  @Override
  public String lockSchema() {
    return "SELECT GET_LOCK('once_schema', 10)";
  }

  @Override
  public String unlockSchema() {
    return "DO RELEASE_LOCK('once_schema')";
  }

  @Override
  public boolean runsScripts() {
    return false;
  }

  /** A minute late: no claim is under way which took its fence before the record had its own. */
  @Override
  public String purge() {
    return """
        DELETE k FROM (SELECT id FROM idempotency_keys
            WHERE ttl_at <= %1$s AND (ttl_at > 0 OR completed_at <= %1$s)
            ORDER BY ttl_at LIMIT ? FOR UPDATE SKIP LOCKED) AS expired
          STRAIGHT_JOIN idempotency_keys AS k ON k.id = expired.id
        """
        .formatted("(" + now() + " - 60000)");
  }

  /** What is set is seen by what follows, so whether it may be taken is decided once, first. */
  @Override
  public String claim() {
    return """
        INSERT INTO idempotency_keys (id, tenant, user_id, route, `key`, request_hash, token, fence,
            attempt, status, created_at, lease_until, ttl_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, NEXT VALUE FOR once_fence + ?, 1, 'processing', %1$s,
            %1$s + ?, %1$s + ?)
        ON DUPLICATE KEY UPDATE
            fence = IF(@once_free := (ttl_at <= %1$s OR (? AND status = 'processing'
                AND lease_until <= %1$s AND request_hash = VALUES(request_hash)
                AND token <> VALUES(token))), NEXT VALUE FOR once_fence, fence),
            attempt = IF(@once_free, IF(ttl_at > %1$s, attempt + 1, 1), attempt),
            created_at = IF(@once_free AND ttl_at <= %1$s, %1$s, created_at),
            request_hash = IF(@once_free, VALUES(request_hash), request_hash),
            token = IF(@once_free, VALUES(token), token),
            status = IF(@once_free, 'processing', status),
            code = IF(@once_free, NULL, code),
            completed_at = IF(@once_free, NULL, completed_at),
            response_body = IF(@once_free, NULL, response_body),
            lease_until = IF(@once_free, VALUES(lease_until), lease_until),
            ttl_at = IF(@once_free, VALUES(ttl_at), ttl_at)
        RETURNING %2$s
        """
        .formatted(now(), Sql.columns(now()));
  }

  /** It counts in whole seconds. */
  @Override
  public InTransaction claimInTransaction(Duration longestWait) {
    long seconds = (longestWait.toMillis() + 999) / 1000;
    return new InTransaction(
        ("SET STATEMENT innodb_lock_wait_timeout = LEAST(@@innodb_lock_wait_timeout, " + seconds)
            + (") FOR " + claim()),
        0);
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
    return 8;
  }

  /**
   * A key that an application's transaction has must not keep all others waiting. And the tables
   * are those of the database that the store was opened in, wherever the last user has gone.
   */
  @Override
  public Undo prepare(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    long timeout;
    String place;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@innodb_lock_wait_timeout, DATABASE()")) {
      row.next();
      timeout = row.getLong(1);
      place = row.getString(2);
    }
    Dialect.execute(connection, LIMIT_LOCK_WAIT);
    boolean elsewhere = database != null && !database.equals(place);
    if (elsewhere) {
      use(connection, database);
    }
    return () -> {
      Dialect.execute(connection, "SET innodb_lock_wait_timeout = " + timeout);
      if (elsewhere && place != null) {
        use(connection, place);
      }
    };
  }

  private static void use(Connection connection, @Nullable String database) throws SQLException {
    Dialect.execute(connection, "USE `" + String.valueOf(database).replace("`", "``") + "`");
  }

  /** It counts in seconds; with none of them, a lock is had at once or not at all. */
  @Override
  public String hurry() {
    return "SET innodb_lock_wait_timeout = 0";
  }

  @Override
  public String afterHurry() {
    return LIMIT_LOCK_WAIT;
  }

  @Override
  public boolean isLockTimeout(SQLException failure) {
    return failure.getErrorCode() == 1205;
  }

  @Override
  public void limitSilence(Connection connection, Duration longest) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) longest.toMillis());
  }

  @Override
  public List<String> undurable() {
    return List.of(
        "SELECT CONCAT('innodb_flush_log_at_trx_commit is ', @@innodb_flush_log_at_trx_commit)"
            + " FROM DUAL WHERE @@innodb_flush_log_at_trx_commit NOT IN (1, 3)");
  }

  @Override
  public boolean isBusy(SQLException failure) {
    return hasRolledBack(failure);
  }

  /** A deadlock, or a statement that took too long: it was undone. */
  @Override
  public boolean hasRolledBack(SQLException failure) {
    return failure.getErrorCode() == 1213 || failure.getErrorCode() == 1205 || isCanceled(failure);
  }

  /** By {@code max_statement_time}, or by a person. */
  @Override
  public boolean isCanceled(SQLException failure) {
    return failure.getErrorCode() == 1969 || failure.getErrorCode() == 1317;
  }

  /** A lock that was not had in time undoes the statement, or, if so configured, everything. */
  @Override
  public Aftermath aftermath(Connection connection, SQLException failure) throws SQLException {
    return switch (failure.getErrorCode()) {
      case 1205 -> rollsBackOnTimeout(connection) ? Aftermath.TO_BE_ROLLED_BACK : Aftermath.BUSY;
      case 1317, 1969 -> Aftermath.BUSY;
      case 1213, 1020 -> Aftermath.TO_BE_ROLLED_BACK;
      default -> Aftermath.FAILED;
    };
  }

  private static boolean rollsBackOnTimeout(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
      return row.next() && row.getBoolean(1);
    }
  }

  @Override
  public StoreException explain(String doing, SQLException failure) {
    String message =
        "mariadb: %s failed, %s (%s)".formatted(doing, failure.getMessage(), remedy(failure));
    return DISK_FULL.contains(failure.getErrorCode())
        ? new OutOfRoomException(message, failure)
        : new StoreException(message, failure);
  }

  private static String remedy(SQLException failure) {
    return switch (failure.getErrorCode()) {
      case 1146, 4091 -> "the tables of Once are missing: ./once store migrate URL";
      case 1044, 1142, 1370 -> "this user may not use the tables of Once: grant it";
      case 1317, 1969 -> "max_statement_time is too short, or somebody canceled it";
      case 1205 -> "a transaction of somebody else has the record: find and end it";
      case 1045 -> "the user or its password is wrong";
      case 1049 -> "there is no such database: create it";
      case 1021, 1114, 3 -> "the server's disk is full: make room";
      case 1040, 1203 -> "the server has too many connections: raise max_connections, or use fewer";
      case 1290, 1792, 1836 -> "the server is read-only: name the primary";
      case 1153 -> "an answer is larger than the server's max_allowed_packet: raise it";
      default ->
          failure.getSQLState() != null && failure.getSQLState().startsWith("08")
              ? "the server cannot be reached, or the connection broke"
              : "see the cause";
    };
  }
}
