package dev.once.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions that have ended, but are still on their thread: Spring takes them from there after
 * it has called those who wait for their end (afterCommit, {@code @TransactionalEventListener}).
 * What joins one of them then is not committed any more.
 *
 * <p>Spring's flags do not tell: they are the same as before the commit, or cleared by whatever was
 * called meanwhile. A transaction's resource (its connection, its EntityManager) does: it is there
 * as long as the transaction is on the thread, and one that is suspended is not. JTA has none, and
 * does not need this: what comes after a commit begins another transaction there.
 */
final class EndedTransactions implements BeanPostProcessor {

  /** The resources of all that have ended and are still on a thread; each has its own. */
  private static final Set<Object> RESOURCES = ConcurrentHashMap.newKeySet();

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof ConfigurableTransactionManager manager
        && bean instanceof ResourceTransactionManager ofResource) {
      manager.addListener(new Ends(ofResource));
    }
    return bean;
  }

  /** Whether there is one on this thread, of whichever manager. */
  static boolean areHere() {
    return !RESOURCES.isEmpty()
        && TransactionSynchronizationManager.getResourceMap().values().stream()
            .anyMatch(RESOURCES::contains);
  }

  /**
   * Fails if the method would join one.
   *
   * @throws IllegalStateException that says what to do
   */
  static void refuseToJoin(TransactionManager manager, Method method, Class<?> type) {
    if (!RESOURCES.isEmpty() && manager instanceof ResourceTransactionManager ofResource) {
      Object resource = resourceOf(ofResource);
      if (resource != null && RESOURCES.contains(resource)) {
        throw new IllegalStateException(
            "%s.%s: called after the end of the transaction that it would join, so that nothing it"
                    .formatted(type.getName(), method.getName())
                + " writes would be committed (expected: a new transaction); say"
                + " @Transactional(propagation = Propagation.REQUIRES_NEW) on its caller (the"
                + " listener, say), or on it if it is not in same-transaction mode");
      }
    }
  }

  private static @Nullable Object resourceOf(ResourceTransactionManager manager) {
    return TransactionSynchronizationManager.getResource(manager.getResourceFactory());
  }

  /** Told by Spring just before the end, and again when all who wait for it were called. */
  private record Ends(ResourceTransactionManager manager) implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      begins(transaction);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
      begins(transaction);
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      isOver(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      isOver(transaction);
    }

    /** A savepoint's end is told too, but is not the transaction's. */
    private void begins(TransactionExecution transaction) {
      Object resource = resourceOf(manager);
      if (transaction.isNewTransaction() && resource != null) {
        RESOURCES.add(resource);
      }
    }

    private void isOver(TransactionExecution transaction) {
      Object resource = resourceOf(manager);
      if (transaction.isNewTransaction() && resource != null) {
        RESOURCES.remove(resource);
      }
    }
  }
}
