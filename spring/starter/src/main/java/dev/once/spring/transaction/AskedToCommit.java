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
 * Whether the database may have been asked to commit a transaction. Spring says of every commit
 * that failed by a {@code DataAccessException} that it was rolled back, if the rollback after it
 * did not fail: and JPA's does nothing then. The reply may have been lost, though, of a commit that
 * has happened.
 */
final class AskedToCommit implements TransactionSynchronization {

  private static final String ENTITIES = "jakarta.persistence.EntityManagerFactory";

  /** Null where there is no JPA. */
  private static final @Nullable Class<?> ENTITY_MANAGER_FACTORY =
      ClassUtils.isPresent(ENTITIES, AskedToCommit.class.getClassLoader())
          ? ClassUtils.resolveClassName(ENTITIES, AskedToCommit.class.getClassLoader())
          : null;

  private boolean asked;
  private boolean writesFirst;

  private AskedToCommit() {}

  /** That of this thread's transaction; null if its manager does not tell us, as it is no bean. */
  static @Nullable AskedToCommit here() {
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof AskedToCommit here) {
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
        TransactionSynchronizationManager.registerSynchronization(new AskedToCommit());
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
      AskedToCommit here = isWhole(transaction) ? here() : null;
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
