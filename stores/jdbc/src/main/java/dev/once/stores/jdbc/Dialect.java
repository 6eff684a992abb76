package dev.once.stores.jdbc;

import dev.once.core.store.StoreException;
import dev.once.core.store.spi.AnswerCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What differs from database to database. The algorithm is in {@link Records}. */
interface Dialect {

  /** Of a store's statements, which all end at once: longer is somebody's own transaction. */
  Duration LONGEST_LOCK_WAIT = Duration.ofSeconds(1);

  /** For a lock of another store's statement, but not for an application's transaction. */
  Duration SHORTEST_LOCK_WAIT = Duration.ofMillis(10);

  /** A server that says nothing for so long is gone, and the connection with it. */
  Duration LONGEST_SILENCE = Duration.ofSeconds(15);

  /** As in error messages, and in the names of the schema's folders. */
  String name();

  /** The database's clock: an expression, in milliseconds since 1970. */
  String now();

  /** A query that has a row if the table {@code once_meta} exists. */
  String hasSchema();

  /** Keeps others from changing the schema until this transaction or connection ends. */
  String lockSchema();

  /** Undoes {@link #lockSchema}; null if the end of the transaction does. */
  default @Nullable String unlockSchema() {
    return null;
  }

  /**
   * Whoever changes the schema synchronizes on this too, where the database itself cannot lock it.
   */
  default Object schemaMonitor() {
    return this;
  }

  /** Whether a statement can be a whole script. */
  boolean runsScripts();

  /** Deletes up to the number given of expired records, and waits for nobody. */
  String purge();

  /**
   * Claims: inserts a processing record if there is none, or replaces the one that is there if it
   * has expired or may be taken over. Never fails for one that may not. Gives the record as it is
   * afterwards; nothing if it was left alone and the database cannot say.
   *
   * <p>Parameters: id, tenant, user, route, key, fingerprint, token, fence, lease, lease +
   * retention (both in milliseconds), whether it may take over.
   */
  String claim();

  /**
   * {@link #claim} in a transaction of the application, which waits for another one that has the
   * key for so long at most. One that waited too long is to be undone by {@link #undoClaim}; then
   * the transaction is as it was.
   */
  default InTransaction claimInTransaction(Duration longestWait) {
    return new InTransaction(claim(), 0);
  }

  /**
   * Limits what {@link #claimInTransaction} waits for, where that statement cannot do it by itself.
   *
   * @return undoes that, after the claim
   */
  default Undo limitClaim(Connection connection, Duration longestWait) throws SQLException {
    return () -> {};
  }

  /**
   * Whether a claim failed because another has inserted the record after this one had looked for
   * it. The statement was undone, and is to be run again.
   */
  default boolean isInsertedByAnother(SQLException failure) {
    return false;
  }

  /** Undoes a claim that waited too long; null if the database has done that. */
  default @Nullable String undoClaim() {
    return null;
  }

  /**
   * What is sent at once.
   *
   * @param resultsBefore how many results come before that of the claim
   */
  record InTransaction(String sql, int resultsBefore) {}

  /**
   * Raises the counter of fences by the number given, and gives it; null if the claim does that
   * itself. If not, the claim's fence is given relative to the counter.
   */
  @Nullable String reserveFences();

  /** How steps are taken together. */
  default Batch batch(Records records) {
    return new StepByStep(this, records);
  }

  /** How many steps share a transaction at most. */
  int maxBatch();

  /** From how many bytes on an answer is compressed. */
  default int compressFrom() {
    return AnswerCodec.COMPRESS_FROM;
  }

  /** How many lanes there are. */
  int lanes();

  /**
   * Whether there is one writer at a time, and reads cost next to nothing: then a claim looks
   * before it queues up to write.
   */
  default boolean hasOneWriter() {
    return false;
  }

  /** Whether a caller that waits may take a step on its own thread, which others may interrupt. */
  default boolean runsOnCallersThreads() {
    return true;
  }

  /**
   * Whether there is nothing in the database before the application starts, so that nobody can have
   * made the tables: then a store makes them.
   */
  default boolean isInMemory() {
    return false;
  }

  /** Whether what was committed survives a crash of every process. */
  default boolean isDurable() {
    return true;
  }

  /** Whether a connection can be told that another has ended an operation. */
  default boolean hasWakeUps() {
    return false;
  }

  /** Whether a server of this version is too old for the store. */
  default boolean isTooOld(int major, int minor) {
    return false;
  }

  /** A query for the longest statement in bytes that the server takes; null if it takes any. */
  default @Nullable String longestStatement() {
    return null;
  }

  /** What of the tables, and of the rights to use them, is missing: each with what to do. */
  default List<String> missingPrivileges(Statement statement) throws SQLException {
    return List.of();
  }

  /** What is done before a connection is given back. */
  interface Undo extends AutoCloseable {
    void run() throws SQLException;

    @Override
    default void close() throws SQLException {
      run();
    }
  }

  /**
   * Makes a new connection independent of how its user, its pool, its database or its last user has
   * set it up.
   *
   * @return undoes what would harm the connection's next user
   */
  Undo prepare(Connection connection) throws SQLException;

  /**
   * Whether a pooler between here and the server lends its connections for a transaction at a time:
   * then what a session is set to is somebody else's to see, and nothing is set.
   */
  default boolean isThroughPooler() {
    return false;
  }

  /** The statement as it is sent. */
  default String statement(String sql) {
    return sql;
  }

  /** Executes this on the connection. */
  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Sets for how long the database may say nothing to a statement, unless the database allows less.
   */
  void limitSilence(Connection connection, Duration longest) throws SQLException;

  /** Makes the open transaction wait for a lock for a moment only. */
  String hurry();

  /** Undoes {@link #hurry} when the transaction has ended; null if its end does. */
  default @Nullable String afterHurry() {
    return null;
  }

  /** Whether a lock was not had in time, so that the statement was undone. */
  boolean isLockTimeout(SQLException failure);

  /**
   * Whether a statement took longer than it was allowed to, for whatever reason, and was undone.
   */
  default boolean isCanceled(SQLException failure) {
    return false;
  }

  /** Gives room that is not used back to the disk; in the transaction of a purge. */
  default void giveBackRoom(Session session) throws SQLException {}

  /** Ends copies of what was deleted; after a purge, in no transaction. Never fails. */
  default void forgetDeleted(Session session) {}

  /** Queries that each have a row, with a setting, if that setting lets a commit be lost. */
  List<String> undurable();

  /** Whether somebody else is at work in the database, and it is worth trying again soon. */
  boolean isBusy(SQLException failure);

  /** Whether the transaction was certainly undone, and can be run again. */
  boolean hasRolledBack(SQLException failure);

  /** What a failed statement has left of the application's transaction. */
  enum Aftermath {
    /** All of it: somebody else held a lock for too long, and only this statement was undone. */
    BUSY,
    /** Nothing, because of somebody else at work: it is to be rolled back and run again. */
    TO_BE_ROLLED_BACK,
    /** Whatever the database says; to run it again is not known to help. */
    FAILED
  }

  /** What this failure has left of the transaction that is open on this connection. */
  Aftermath aftermath(Connection connection, SQLException failure) throws SQLException;

  /** What is said of a step that was under way when the store was closed. */
  default StoreException unknownAtClose() {
    return new StoreException(
        name() + ": closed while the database was silent; it may have taken the step", null);
  }

  /** What a person needs to know about this failure. */
  StoreException explain(String doing, SQLException failure);
}
