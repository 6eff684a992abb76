package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.ExecutionEndedException;
import dev.once.core.Fence;
import dev.once.core.Lease;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.store.AnswerCodec;
import dev.once.core.store.OperationRecord.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.Objects;
import java.util.Optional;

/**
 * An operation that the caller may run in the transaction that it was claimed in, and must {@link
 * #complete} before the commit. If the transaction is rolled back, none of it has happened. If it
 * is committed without an end, the operation counts as crashed once its lease is over. Like its
 * connection, for one thread at a time.
 */
public final class TransactionExecution {

  private final TransactionDatabase database;
  private final Connection connection;
  private final Operation operation;
  private final Lease lease;
  private boolean ended;

  TransactionExecution(
      TransactionDatabase database, Connection connection, Operation operation, Lease lease) {
    this.database = database;
    this.connection = connection;
    this.operation = operation;
    this.lease = lease;
  }

  public Operation operation() {
    return operation;
  }

  /** The fence to pass on to whatever else the handler writes to. */
  public Fence fence() {
    return lease.fence();
  }

  /** 1, or more if earlier owners crashed; those that were rolled back do not count. */
  public int attempt() {
    return lease.attempt();
  }

  /**
   * Writes the answer into the open transaction, as the policy keeps it: it is recorded when the
   * caller commits, and not before. An answer that the policy does not keep frees the key instead.
   *
   * @return always {@link Result.Executed}; to be given to the client after the commit
   * @throws ExecutionEndedException if it was ended before
   * @throws SQLException if it cannot be written: the transaction is to be rolled back
   */
  public Result complete(Answer answer) throws SQLException {
    Objects.requireNonNull(answer, "answer: null (expected: an Answer)");
    Optional<Answer> kept = operation.policy().kept(answer, Policy.MAX_STORED_BODY);
    if (kept.isEmpty()) {
      release();
      return new Result.Executed(answer, false);
    }
    end(
        database.sql().record(),
        answer.code(),
        operation.policy().retention().toMillis(),
        AnswerCodec.encode(kept.get(), database.dialect().compressFrom()),
        Records.text(Status.of(answer.outcome())),
        Records.id(lease.id()),
        lease.fence().value());
    return new Result.Executed(answer, true);
  }

  /**
   * Frees the key: a retry may run, also if the transaction is committed.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  public void release() throws SQLException {
    end(database.sql().free(), Records.id(lease.id()), lease.fence().value());
  }

  private void end(String sql, Object... parameters) throws SQLException {
    if (ended) {
      throw new ExecutionEndedException(operation.id());
    }
    JdbcTransactions.requireTransaction(connection);
    ended = true;
    int found;
    try (Session session = new Session(connection)) {
      found = session.prepare(sql, parameters).executeUpdate();
    } catch (SQLException e) {
      throw database.explain("the record of an answer", connection, e);
    }
    if (found != 1) {
      throw new SQLTransactionRollbackException(
          operation.id()
              + ": its claim is gone (expected: the transaction that claimed it is still open);"
              + " roll back and try again",
          "40000");
    }
  }
}
