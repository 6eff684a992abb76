package dev.once.spring.transaction;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Outcome;
import dev.once.core.Policy;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.spi.RolledBackException;
import dev.once.core.spi.ThreadBound;
import dev.once.stores.jdbc.JdbcTransactionException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that is open, and the execution in it, which ends with it. Ends on the thread that
 * began it, unless it left that.
 *
 * <ul>
 *   <li>An answer below 400 commits. If it cannot, the client never gets that answer: it is the
 *       application's failure if the application broke the transaction (a constraint that is looked
 *       at by the commit, say), or else the store's, and a retry may do better.
 *   <li>A rejection commits too, and is recorded as the policy says; unless the application has
 *       broken the transaction, or the policy does not keep it: then it is sent, and nothing is
 *       recorded or committed, because a retry runs.
 *   <li>A failure rolls back: it is sent, nothing is recorded, and a retry runs.
 * </ul>
 */
public final class OpenTransaction implements ThreadBound {

  private static final Logger log = LoggerFactory.getLogger(OpenTransaction.class);

  private final PlatformTransactionManager manager;
  private final TransactionStatus status;
  private final Operation operation;
  private final Begun begun;
  private final OnceListener listener;

  /** The absence of a transaction that it was suspended for; null while it is a thread's. */
  private @Nullable TransactionStatus suspension;

  private boolean synchronizing;

  /** Whether the end was told. */
  private boolean told;

  /**
   * @param claimed what the database said
   */
  OpenTransaction(
      PlatformTransactionManager manager,
      TransactionStatus status,
      Operation operation,
      Begun claimed,
      OnceListener listener) {
    this.manager = manager;
    this.status = status;
    this.operation = operation;
    this.begun = claimed;
    this.listener = listener;
  }

  /** What to do: run this, replay or refuse. */
  public Begun begun() {
    return begun instanceof Begun.Proceed ? new Begun.Proceed(this) : begun;
  }

  private Execution claimed() {
    return ((Begun.Proceed) begun).execution();
  }

  // What a handler sees.

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
    return claimed().fence();
  }

  @Override
  public int attempt() {
    return claimed().attempt();
  }

  @Override
  public CompletionStage<Void> lost() {
    return claimed().lost();
  }

  // Its ends.

  @Override
  public CompletionStage<Result> complete(Answer answer) {
    try {
      return completedStage(isUndone(answer) ? rolledBack(answer) : commit(answer));
    } catch (RuntimeException | Error e) {
      undo(e);
      boolean applications =
          e instanceof Error || CommitFailure.isApplications((RuntimeException) e);
      if (applications && answer.outcome() != Outcome.REJECTION) {
        tellOfRelease();
        return failedStage(new RolledBackException(asException(e)));
      }
      if (applications) {
        return completedStage(ended(new Result.Executed(answer, false)));
      }
      log.error("a transaction could not be committed", e);
      return completedStage(ended(new Result.Refused(notCommitted())));
    }
  }

  private static RuntimeException asException(Throwable thrown) {
    return thrown instanceof RuntimeException exception
        ? exception
        : new IllegalStateException("a transaction was not committed: " + thrown, thrown);
  }

  /** What a retry would do again is not committed. */
  private boolean isUndone(Answer answer) {
    return switch (answer.outcome()) {
      case SUCCESS -> false;
      case REJECTION ->
          status.isRollbackOnly()
              || operation.policy().kept(answer, Policy.MAX_STORED_BODY).isEmpty();
      case FAILURE -> true;
    };
  }

  private Result ended(Result result) {
    told = true;
    listener.ended(this, result);
    return result;
  }

  private static Refusal notCommitted() {
    return new Refusal(
        Reason.STORE_DOWN,
        "The transaction could not be committed. Send the same request with the same key again:"
            + " it runs, or gets the answer if it was committed after all.",
        null);
  }

  private Result rolledBack(Answer answer) {
    undo(null);
    return ended(new Result.Executed(answer, false));
  }

  @Override
  public CompletionStage<Result> fail(Throwable cause) {
    return completedStage(
        rolledBack(Answer.failure(500, Body.of(cause.getClass().getSimpleName()))));
  }

  @Override
  public CompletionStage<Boolean> release() {
    rollBack(null);
    return completedStage(true);
  }

  /** What it did is undone, and that is known. */
  @Override
  public void abandon() {
    rollBack(null);
  }

  /**
   * Writes the answer, and commits.
   *
   * @throws RuntimeException if it is not known to be committed; it has ended then all the same
   */
  public Result commit(Answer answer) {
    resume();
    Result result;
    try {
      result = claimed().complete(answer).toCompletableFuture().join();
    } catch (JdbcTransactionException e) {
      throw OnceTransactions.translated("the record of an answer", e.sql());
    }
    return status.isNewTransaction() ? committed(result) : committedByCaller(result);
  }

  private Result committed(Result result) {
    AtomicBoolean committed = new AtomicBoolean();
    whenEnded(committed::set);
    try {
      commit();
    } catch (RuntimeException | Error e) {
      // Spring throws what somebody threw who was called after the commit, as if that had failed.
      if (!committed.get()) {
        throw e;
      }
      log.error("a transaction was committed, but a callback after the commit failed", e);
    }
    return ended(result);
  }

  /** It is the caller's transaction that decides, later, whether any of this has happened. */
  private Result committedByCaller(Result result) {
    whenEnded(
        committed -> {
          if (!committed) {
            tellOfRelease();
          } else if (!told) {
            ended(result);
          }
        });
    commit();
    return result;
  }

  private static void whenEnded(Consumer<Boolean> told) {
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
              told.accept(status == STATUS_COMMITTED);
            }
          });
    }
  }

  public void commit() {
    manager.commit(status);
  }

  /**
   * Ends the transaction of a duplicate. Nothing was written: what the database said of the key
   * holds, whatever becomes of this.
   */
  public void endUnused() {
    try {
      if (status.isNewTransaction()) {
        manager.rollback(status);
      } else {
        commit();
      }
    } catch (RuntimeException e) {
      log.warn("the transaction of a duplicate could not be ended", e);
    }
  }

  /** After a commit that failed there is nothing left to roll back. */
  public void rollBack(@Nullable Throwable because) {
    try {
      undo(because);
    } finally {
      tellOfRelease();
    }
  }

  private void undo(@Nullable Throwable because) {
    try {
      if (!status.isCompleted()) {
        resume();
        manager.rollback(status);
      }
    } catch (RuntimeException e) {
      if (because == null) {
        throw e;
      }
      because.addSuppressed(e);
    }
  }

  private void tellOfRelease() {
    if (!told && begun instanceof Begun.Proceed) {
      told = true;
      listener.released(this);
    }
  }

  // Its thread.

  @Override
  public void leaveThread() {
    suspension =
        manager.getTransaction(
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NOT_SUPPORTED));
    synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
    TransactionSynchronizationManager.clear();
  }

  private void resume() {
    TransactionStatus since = suspension;
    if (since != null) {
      suspension = null;
      if (synchronizing) {
        TransactionSynchronizationManager.initSynchronization();
      }
      manager.commit(since);
    }
  }
}
