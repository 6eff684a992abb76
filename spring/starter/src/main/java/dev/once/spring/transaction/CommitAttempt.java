package dev.once.spring.transaction;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Whether the database may have been asked to commit a transaction. When a commit fails with a
 * {@code DataAccessException} and the rollback after it does not, Spring reports a rollback. But
 * JPA's rollback does nothing then, and the commit may have happened while its reply was lost.
 */
final class CommitAttempt implements TransactionSynchronization {

  private static final String ENTITIES = "jakarta.persistence.EntityManagerFactory";

  /** Null where there is no JPA. */
  private static final @Nullable Class<?> ENTITY_MANAGER_FACTORY =
      ClassUtils.isPresent(ENTITIES, CommitAttempt.class.getClassLoader())
          ? ClassUtils.resolveClassName(ENTITIES, CommitAttempt.class.getClassLoader())
          : null;

  private boolean asked;
  private boolean writesFirst;

  private CommitAttempt() {}

  /** That of this thread's transaction; null if its manager does not tell us, as it is no bean. */
  static @Nullable CommitAttempt here() {
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof CommitAttempt here) {
        return here;
      }
    }
    return null;
  }

  boolean isAsked() {
    return asked;
  }

  /**
   * What JPA still has to write is written before the commit, and not by it: if it breaks a
   * constraint, that is known not to be committed.
   */
  void writeFirst() {
    writesFirst = true;
  }

  /** Told by Spring just before it commits. */
  record Listener(PlatformTransactionManager manager) implements TransactionExecutionListener {

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      if (failure == null && isWhole(transaction)) {
        TransactionSynchronizationManager.registerSynchronization(new CommitAttempt());
      }
    }

    /** Savepoints are no transactions; who waits for the end is on the thread only with its own. */
    private static boolean isWhole(TransactionExecution transaction) {
      return transaction.isNewTransaction()
          && transaction instanceof DefaultTransactionStatus status
          && status.isNewSynchronization();
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      CommitAttempt here = isWhole(transaction) ? here() : null;
      if (here == null) {
        return;
      }
      if (here.writesFirst && mayWrite(transaction)) {
        ((DefaultTransactionStatus) transaction).flush();
      }
      here.asked = !transaction.isRollbackOnly(); // JPA and JTA are asked, and roll back then
    }

    /**
     * Only JPA's own: other managers flush whatever was used in their transactions, such as an
     * EntityManager that is closed by now. JPA does not write for one that is read-only.
     */
    private boolean mayWrite(TransactionExecution transaction) {
      return ENTITY_MANAGER_FACTORY != null
          && manager instanceof ResourceTransactionManager ofResource
          && ENTITY_MANAGER_FACTORY.isInstance(ofResource.getResourceFactory())
          && !transaction.isReadOnly()
          && !transaction.isRollbackOnly();
    }
  }
}
