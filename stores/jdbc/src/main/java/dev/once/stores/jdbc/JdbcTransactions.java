package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Handler;
import dev.once.core.OnceListener;
import dev.once.core.OnceListener.StoreStep;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.RecordFormatException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Operations in the application's own transactions: the key, the application's writes and the
 * answer are committed together, or not at all. So the effect happens exactly once, whatever
 * crashes when. On PostgreSQL, MariaDB, SQLite and H2; the tables are those of {@link JdbcStore},
 * and must be there. Thread-safe; it opens nothing, and need not be closed.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * Result result = transactions.run(connection, operation, execution -> charge(connection, card));
 * connection.commit();
 * }</pre>
 *
 * <ol>
 *   <li>To begin is to write the record, as processing, into the open transaction. Whoever has
 *       claimed the same key in another transaction is waited for, by the database's own lock on
 *       the row: there is no lease to renew and no second connection.
 *   <li>The other one committed: replay its answer. It rolled back: run.
 *   <li>The answer is written over the record, in the same transaction. Nobody sees it before the
 *       commit, which is the caller's, as is the rollback.
 *   <li>A record that a {@link JdbcStore} has written is seen, and its own are seen by that: a live
 *       lease is busy, one that is over is for the crash policy to judge.
 * </ol>
 *
 * <p>A client is answered after the commit. A commit that failed, or whose reply was lost, is
 * answered with an error, and the retry finds out which it was.
 */
public final class JdbcTransactions {

  /** Tokens must differ between processes, even ones that started in the same instant. */
  private final long nonce = new SecureRandom().nextLong();

  /** Whoever waits has a connection, and the pool has few of them. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final Map<String, TransactionDatabase> databases = new ConcurrentHashMap<>();

  private final Duration longestWait;

  private final OnceListener listener;

  private JdbcTransactions(Duration longestWait, OnceListener listener) {
    this.longestWait = longestWait;
    this.listener = listener;
  }

  /** Waits for a transaction that has claimed the same key for a second, and is then busy. */
  public static JdbcTransactions create() {
    return create(LONGEST_WAIT);
  }

  /**
   * Waits for a transaction that has claimed the same key for so long, and is then busy.
   *
   * @param longestWait for a transaction that has claimed the same key; in whole seconds, rounded
   *     up, on MariaDB. A shorter time-out of the connection holds too, and on SQLite that alone.
   */
  public static JdbcTransactions create(Duration longestWait) {
    if (longestWait.isNegative() || longestWait.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException("longestWait: " + longestWait + " (expected: 0 to PT1H)");
    }
    return new JdbcTransactions(longestWait, OnceListener.log());
  }

  /**
   * The same, of which this listener is told what happens, instead of the log. An end is told when
   * it is written; the commit, which is the caller's, may still fail.
   */
  public JdbcTransactions listener(OnceListener listener) {
    return new JdbcTransactions(longestWait, OnceListener.all(List.of(listener)));
  }

  /**
   * Claims the operation within the transaction that is open on this connection: proceed, replay or
   * refuse. Waits for a transaction that has claimed it before, but not for long: then it is busy,
   * and the transaction is as it was. Whoever proceeds must complete the execution, and then
   * commit.
   *
   * @throws SQLTransactionRollbackException if it met another transaction (a deadlock, an isolation
   *     level that cannot see the other's answer): roll back and try again
   * @throws IllegalStateException if there is no transaction, because of auto-commit
   */
  public Begun begin(Connection connection, Operation operation) throws SQLException {
    return begin(connection, operation, longestWait);
  }

  /**
   * {@link #begin(Connection, Operation)} in a transaction that has little time left.
   *
   * @param timeLeft waits no longer than this, nor longer than else
   */
  public Begun begin(Connection connection, Operation operation, Duration timeLeft)
      throws SQLException {
    requireTransaction(connection);
    long start = System.nanoTime();
    Begun begun;
    try {
      begun = claim(connection, operation, timeLeft);
    } catch (SQLException | RuntimeException e) {
      TransactionExecution.tell(listener, StoreStep.CLAIM, start, e);
      throw e;
    }
    TransactionExecution.tell(listener, StoreStep.CLAIM, start, null);
    listener.decided(operation, begun);
    return begun;
  }

  private Begun claim(Connection connection, Operation operation, Duration timeLeft)
      throws SQLException {
    Duration wait = timeLeft.compareTo(longestWait) < 0 ? timeLeft : longestWait;
    TransactionDatabase database = database(connection);
    try (Dialect.Undo limit = database.dialect().limitClaim(connection, wait);
        Session session = new Session(connection)) {
      Claim claim =
          database
              .steps()
              .claimInTransaction(
                  session, database.dialect().claimInTransaction(wait), request(operation));
      return claim instanceof Claim.Granted granted
          ? new Begun.Proceed(
              new TransactionExecution(database, connection, operation, granted.lease(), listener))
          : Begun.forExistingRecord(operation, (Claim.Taken) claim);
    } catch (RecordFormatException e) {
      return new Begun.Refuse(Refusal.unreadable());
    } catch (SQLException e) {
      if (database.isBusy(connection, e)) {
        return new Begun.Refuse(
            Refusal.busy(
                "Another transaction has the key, for longer than a duplicate waits for it."));
      }
      throw database.explain("a claim", connection, e);
    }
  }

  /**
   * Begins, has the handler run unless the operation is known already, and writes its answer into
   * the transaction. Neither commits nor rolls back: that is the caller's.
   *
   * @throws Exception what the handler threw: nothing is recorded, and the caller is to roll back
   * @see #begin for what else can be thrown
   */
  public Result run(Connection connection, Operation operation, Handler<? extends Answer> handler)
      throws Exception {
    Begun begun = begin(connection, operation);
    if (begun instanceof Begun.Replay replay) {
      return new Result.Replayed(replay.answer());
    }
    if (begun instanceof Begun.Refuse refuse) {
      return new Result.Refused(refuse.refusal());
    }
    TransactionExecution execution = (TransactionExecution) ((Begun.Proceed) begun).execution();
    Answer answer;
    try {
      answer = handler.handle(execution);
      if (answer == null) {
        throw new IllegalStateException(
            "handler of " + operation.id() + ": null (expected: an Answer)");
      }
    } catch (Throwable e) {
      end(execution, e);
      throw e;
    }
    return execution.write(answer);
  }

  private static void end(TransactionExecution execution, Throwable thrown) {
    try {
      execution.fail(thrown);
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    }
  }

  private ClaimRequest request(Operation operation) {
    Policy policy = operation.policy();
    return new ClaimRequest(
        operation.id(),
        operation.fingerprint(),
        ThreadLocalRandom.current().nextLong() ^ nonce,
        policy.lease(),
        policy.retention(),
        policy.onCrash() == OnCrash.RUN_AGAIN);
  }

  static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "connection: auto-commit (expected: a transaction); call setAutoCommit(false) first, and"
              + " commit() after the answer");
    }
  }

  private TransactionDatabase database(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return databases.computeIfAbsent(
        product, name -> TransactionDatabase.of(Databases.dialectNamed(name)));
  }
}
