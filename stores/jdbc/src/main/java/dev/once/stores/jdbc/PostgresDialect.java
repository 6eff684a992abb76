package dev.once.stores.jdbc;

import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** PostgreSQL 12 and later: a claim, and whatever else there is to do, is one function call. */
final class PostgresDialect implements Dialect {

  private static final String DISK_FULL = "53100";

  static final String NOW = "(date_part('epoch', clock_timestamp()) * 1000)::bigint";

  /**
   * What expired, or was released, before this may be deleted: the same for the whole statement,
   * and late enough that no claim is under way which took its fence before the record had its own.
   */
  private static final String LONG_EXPIRED =
      "((date_part('epoch', statement_timestamp()) - 60) * 1000)::bigint";

  /** Any number, as long as nobody else's lock has it. */
  private static final long SCHEMA_LOCK = 0x6F6E6365_736368L;

  /** Where the tables are, quoted where it needs to be; null if that is not known. */
  private final @Nullable String schema;

  private final boolean throughPooler;
  private final @Nullable PoolerStatements statements;

  PostgresDialect() {
    this(null, false);
  }

  private PostgresDialect(@Nullable String schema, boolean throughPooler) {
    this.schema = schema;
    this.throughPooler = throughPooler;
    this.statements = throughPooler && schema != null ? new PoolerStatements(schema) : null;
  }

  /**
   * With the tables that this connection finds: wherever other connections look for tables, because
   * somebody has left them so, these are meant. A pooler tells its clients other process ids than
   * the server's.
   */
  static PostgresDialect on(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT (SELECT quote_ident(nspname) FROM pg_class c JOIN pg_namespace n
                      ON n.oid = c.relnamespace WHERE c.oid = to_regclass('idempotency_keys')),
                    pg_backend_pid(), current_setting('default_transaction_isolation')
                """)) {
      row.next();
      boolean throughPooler =
          connection.isWrapperFor(PGConnection.class)
              && connection.unwrap(PGConnection.class).getBackendPID() != row.getInt(2);
      if (throughPooler && !row.getString(3).equals("read committed")) {
        throw new StoreException(
            "postgresql: default_transaction_isolation is %s, and the connections go through a pooler, "
                    .formatted(row.getString(3))
                + "where the store cannot change it (expected: read committed); change it for the"
                + " store's user, or give the store a connection to the server itself",
            null);
      }
      return new PostgresDialect(row.getString(1), throughPooler);
    }
  }

  @Override
  public boolean isThroughPooler() {
    return throughPooler;
  }

  @Override
  public String statement(String sql) {
    return statements == null ? sql : statements.statement(sql);
  }

  @Override
  public boolean hasWakeUps() {
    return true;
  }

  @Override
  public boolean isTooOld(int major, int minor) {
    return major < 12;
  }

  @Override
  public List<String> missingPrivileges(Statement statement) throws SQLException {
    return Privileges.missingInPostgres(statement);
  }

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public String now() {
    return NOW;
  }

  @Override
  public String hasSchema() {
    return "SELECT 1 WHERE to_regclass('once_meta') IS NOT NULL";
  }

  @Override
  public String lockSchema() {
    return "SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")";
  }

  @Override
  public boolean runsScripts() {
    return true;
  }

  @Override
  public String purge() {
    return """
        WITH most AS (SELECT ?::int AS n)
        DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
          SELECT place FROM (SELECT ctid AS place FROM idempotency_keys
            WHERE status <> 'processing' AND ttl_at <= %1$s
              AND (ttl_at > 0 OR completed_at <= %1$s)
            ORDER BY ttl_at LIMIT (SELECT n FROM most) FOR UPDATE SKIP LOCKED) AS ended
          UNION ALL
          SELECT place FROM (SELECT ctid AS place FROM idempotency_keys
            WHERE status = 'processing' AND ttl_at <= %1$s
              AND (ttl_at > 0 OR completed_at <= %1$s)
            ORDER BY ttl_at LIMIT (SELECT n FROM most) FOR UPDATE SKIP LOCKED) AS abandoned
          LIMIT (SELECT n FROM most)))
        """
        .formatted(LONG_EXPIRED);
  }

  @Override
  public String claim() {
    return """
        SELECT request_hash, token, fence, attempt, status, time_left, response_body
          FROM once_claim_one_1(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE status IS NOT NULL
        """;
  }

  /**
   * One round trip. A lock that is not had in time ends a transaction, or all of it since a
   * savepoint. What the application has set as {@code lock_timeout} holds if it is shorter, and
   * holds again afterwards.
   */
  @Override
  public InTransaction claimInTransaction(Duration longestWait) {
    String sql =
        """
        SAVEPOINT once_claim;
        SELECT set_config('once.lock_timeout', current_setting('lock_timeout'), true),
          set_config('lock_timeout', least(%d, (1000 * date_part('epoch',
            nullif(current_setting('lock_timeout'), '0')::interval))::int)::text, true);
        %s;
        SELECT set_config('lock_timeout', current_setting('once.lock_timeout'), true);
        RELEASE SAVEPOINT once_claim
        """;
    return new InTransaction(sql.formatted(Math.max(1, longestWait.toMillis()), claim()), 2);
  }

  @Override
  public String undoClaim() {
    return "ROLLBACK TO SAVEPOINT once_claim; RELEASE SAVEPOINT once_claim";
  }

  @Override
  public @Nullable String reserveFences() {
    return null;
  }

  @Override
  public Batch batch(Records records) {
    return new PostgresBatch(new StepByStep(this, records));
  }

  @Override
  public int maxBatch() {
    return 256;
  }

  /** To compress 2 KB takes longer than to write them. */
  @Override
  public int compressFrom() {
    return 4096;
  }

  @Override
  public int lanes() {
    return 3;
  }

  /**
   * Each statement must see what others have committed before it began, and a commit must be on
   * disk when it returns, whatever the database, the role or the pool is set to. A key that an
   * application's transaction has must not keep all others waiting. And the tables are those that
   * were there when the store was opened, wherever the connection's last user looked for his.
   */
  @Override
  public Undo prepare(Connection connection) throws SQLException {
    if (throughPooler) {
      return withoutNamedStatements(connection.unwrap(PGConnection.class));
    }
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    List<String> settings = new ArrayList<>();
    settings.add("SET lock_timeout = " + LONGEST_LOCK_WAIT.toMillis());
    List<String> before = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('lock_timeout'), current_setting('synchronous_commit'),"
                    + " current_setting('search_path')")) {
      row.next();
      before.add("SET lock_timeout = " + literal(row.getString(1)));
      if (row.getString(2).equals("off")) {
        settings.add("SET synchronous_commit = on");
        before.add("SET synchronous_commit = off");
      }
      if (schema != null) {
        settings.add("SET search_path = " + schema + ", pg_temp");
        before.add("SELECT set_config('search_path', " + literal(row.getString(3)) + ", false)");
      }
    }
    Dialect.execute(connection, String.join("; ", settings));
    return () -> Dialect.execute(connection, String.join("; ", before));
  }

  /** One that was prepared in a transaction may not be there in the next. */
  private static Undo withoutNamedStatements(PGConnection connection) {
    int before = connection.getPrepareThreshold();
    connection.setPrepareThreshold(0);
    return () -> connection.setPrepareThreshold(before);
  }

  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** The first is for {@link PoolerStatements}, whose statements set the second for themselves. */
  @Override
  public String hurry() {
    return "SET LOCAL once.hurry = on; SET LOCAL lock_timeout = " + SHORTEST_LOCK_WAIT.toMillis();
  }

  @Override
  public void limitSilence(Connection connection, Duration longest) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) longest.toMillis());
  }

  @Override
  public List<String> undurable() {
    return List.of(
        "SELECT 'fsync is off' WHERE current_setting('fsync') = 'off'",
        "SELECT 'full_page_writes is off' WHERE current_setting('full_page_writes') = 'off'",
        "SELECT 'the tables are unlogged' FROM pg_class WHERE oid = to_regclass('idempotency_keys')"
            + " AND relpersistence <> 'p'");
  }

  @Override
  public boolean isBusy(SQLException failure) {
    return hasRolledBack(failure) || isLockTimeout(failure);
  }

  @Override
  public boolean hasRolledBack(SQLException failure) {
    return "40001".equals(failure.getSQLState())
        || "40P01".equals(failure.getSQLState())
        || isCanceled(failure);
  }

  @Override
  public boolean isLockTimeout(SQLException failure) {
    return "55P03".equals(failure.getSQLState());
  }

  /** By {@code statement_timeout}, or by a person. */
  @Override
  public boolean isCanceled(SQLException failure) {
    return "57014".equals(failure.getSQLState());
  }

  /** Any failure ends a transaction; but of a claim that waited too long, only the claim. */
  @Override
  public Aftermath aftermath(Connection connection, SQLException failure) {
    if (isLockTimeout(failure) || isCanceled(failure)) {
      return Aftermath.BUSY;
    }
    return hasRolledBack(failure) ? Aftermath.TO_BE_ROLLED_BACK : Aftermath.FAILED;
  }

  @Override
  public StoreException explain(String doing, SQLException failure) {
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    String message =
        "postgresql: %s failed, %s (%s)".formatted(doing, failure.getMessage(), remedy(state));
    return state.equals(DISK_FULL)
        ? new OutOfRoomException(message, failure)
        : new StoreException(message, failure);
  }

  private static String remedy(String state) {
    return switch (state) {
      case "42P01", "42883" -> "the tables of Once are missing: ./once store migrate URL";
      case "42501" -> "this user may not use the tables of Once: grant it";
      case "25006" -> "the server or the transaction is read-only: name the primary";
      case "28P01", "28000" -> "the user or its password is wrong";
      case "08004" -> "the server refuses this login: does it want a password?";
      case "3D000" -> "there is no such database: create it";
      case "55P03" -> "a transaction of somebody else has the record: find and end it";
      case "57014" -> "the role's statement_timeout is too short, or somebody canceled it";
      case DISK_FULL -> "the server's disk is full: make room";
      case "53300" -> "the server has too many connections: raise max_connections, or use fewer";
      case "57P01", "57P02", "57P03" -> "the server is stopping or starting";
      default ->
          state.startsWith("08") || state.isEmpty()
              ? "the server cannot be reached, or the connection broke"
              : "see the cause";
    };
  }
}
