package dev.once.stores.jdbc;

import static java.util.concurrent.CompletableFuture.completedStage;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.ExecutionEndedException;
import dev.once.core.Fence;
import dev.once.core.OnceListener;
import dev.once.core.OnceListener.StoreStep;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Thrown;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.spi.AnswerCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An execution in the transaction that its operation was claimed in. Its ends are written into that
 * transaction at once; the stages that they give have ended. If the transaction is rolled back,
 * none of it has happened. If it is committed without an end, the operation counts as crashed once
 * its lease is over. Like its connection, for one thread at a time.
 */
final class TransactionExecution implements Execution {

  private final TransactionDatabase database;
  private final Connection connection;
  private final Operation operation;
  private final Lease lease;
  private final OnceListener listener;
  private boolean ended;

  TransactionExecution(
      TransactionDatabase database,
      Connection connection,
      Operation operation,
      Lease lease,
      OnceListener listener) {
    this.database = database;
    this.connection = connection;
    this.operation = operation;
    this.lease = lease;
    this.listener = listener;
  }

  @Override
  public Operation operation() {
    return operation;
  }

  @Override
  public boolean isProtected() {
    return true;
  }

  @Override
  public Optional<Fence> fence() {
    return Optional.of(lease.fence());
  }

  /** Those that were rolled back do not count. */
  @Override
  public int attempt() {
    return lease.attempt();
  }

  /** The row is locked: nobody takes it over. */
  @Override
  public CompletionStage<Void> lost() {
    return new CompletableFuture<>();
  }

  /**
   * Writes the answer into the open transaction, as the policy keeps it: it is recorded when the
   * caller commits, and not before. An answer that the policy does not keep frees the key instead.
   *
   * @return always {@link Result.Executed}; to be given to the client after the commit
   * @throws ExecutionEndedException if it was ended before
   * @throws JdbcTransactionException if it cannot be written: the transaction is to be rolled back
   */
  @Override
  public CompletionStage<Result> complete(Answer answer) {
    try {
      return completedStage(write(answer));
    } catch (SQLException e) {
      throw new JdbcTransactionException(e);
    }
  }

  Result write(Answer answer) throws SQLException {
    Objects.requireNonNull(answer, "answer: null (expected: an Answer)");
    Optional<Answer> kept = operation.policy().kept(answer, Policy.MAX_STORED_BODY);
    if (kept.isEmpty()) {
      free();
    } else {
      end(
          StoreStep.COMPLETE,
          database.sql().record(),
          answer.code(),
          operation.policy().retention().toMillis(),
          AnswerCodec.encode(kept.get(), database.dialect().compressFrom()),
          Records.text(Status.of(answer.outcome())),
          Records.id(lease.id()),
          lease.fence().value());
    }
    Result result = new Result.Executed(answer, kept.isPresent());
    listener.ended(this, result);
    return result;
  }

  /**
   * Records nothing, because the transaction is to be rolled back. After a {@link
   * dev.once.core.NotRunException} the key is free, also if it is committed.
   */
  @Override
  public CompletionStage<Result> fail(Throwable cause) {
    Result result =
        new Result.Executed(Answer.failure(500, Body.of(cause.getClass().getSimpleName())), false);
    if (Thrown.of(cause) == Thrown.NOTHING_DONE) {
      return release().thenApply(freed -> result);
    }
    endNow();
    listener.released(this);
    return completedStage(result);
  }

  /**
   * Frees the key: a retry may run, also if the transaction is committed.
   *
   * @throws ExecutionEndedException if it was ended before
   * @throws JdbcTransactionException if it cannot be written: the transaction is to be rolled back
   */
  @Override
  public CompletionStage<Boolean> release() {
    try {
      free();
    } catch (SQLException e) {
      throw new JdbcTransactionException(e);
    }
    listener.released(this);
    return completedStage(true);
  }

  @Override
  public void abandon() {
    endNow();
    listener.abandoned(this);
  }

  private void free() throws SQLException {
    end(StoreStep.RELEASE, database.sql().free(), Records.id(lease.id()), lease.fence().value());
  }

  private void endNow() {
    if (ended) {
      throw new ExecutionEndedException(operation.id());
    }
    ended = true;
  }

  private void end(StoreStep step, String sql, Object... parameters) throws SQLException {
    if (!ended) {
      JdbcTransactions.requireTransaction(connection);
    }
    endNow();
    long start = System.nanoTime();
    try {
      writeEnd(sql, parameters);
    } catch (SQLException | RuntimeException e) {
      tell(listener, step, start, e);
      listener.released(this); // the transaction is to be rolled back
      throw e;
    }
    tell(listener, step, start, null);
  }

  static void tell(OnceListener listener, StoreStep step, long start, @Nullable Exception failure) {
    listener.storeCalled(step, Duration.ofNanos(System.nanoTime() - start), failure);
  }

  private void writeEnd(String sql, Object... parameters) throws SQLException {
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
