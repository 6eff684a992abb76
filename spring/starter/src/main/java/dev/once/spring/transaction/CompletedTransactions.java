package dev.once.spring.transaction;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
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
public final class CompletedTransactions implements BeanPostProcessor {

  /**
   * The resources of all that have ended and are still on a thread; each has its own. Weak, because
   * a listener that fails keeps Spring from telling those after it that a transaction is over.
   */
  private static final Set<Object> RESOURCES =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof ConfigurableTransactionManager manager) {
      if (bean instanceof ResourceTransactionManager ofResource) {
        manager.addListener(new Begins(ofResource));
      }
      if (bean instanceof PlatformTransactionManager ofThread) {
        manager.addListener(new CommitAttempt.Listener(ofThread));
      }
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
    if (isHere(manager)) {
      throw new IllegalStateException(
          "%s.%s: called after the end of the transaction that it would join, so that nothing it"
                  .formatted(type.getName(), method.getName())
              + " writes would be committed (expected: a new transaction); say"
              + " @Transactional(propagation = Propagation.REQUIRES_NEW) on its caller (the"
              + " listener, say), or on it if it is not in same-transaction mode");
    }
  }

  /** Whether there is one on this thread, of this manager. */
  static boolean isHere(TransactionManager manager) {
    if (RESOURCES.isEmpty() || !(manager instanceof ResourceTransactionManager ofResource)) {
      return false;
    }
    Object resource = resourceOf(ofResource);
    return resource != null && RESOURCES.contains(resource);
  }

  private static @Nullable Object resourceOf(ResourceTransactionManager manager) {
    return TransactionSynchronizationManager.getResource(manager.getResourceFactory());
  }

  /** Told by Spring when one has begun, and when all who wait for its end were called. */
  private record Begins(ResourceTransactionManager manager)
      implements TransactionExecutionListener {

    /** A savepoint is told too, but is no transaction; nobody waits for one without its own. */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      isOver(transaction); // the one before, if they are of one session and nobody told
      if (failure == null
          && transaction.isNewTransaction()
          && transaction instanceof DefaultTransactionStatus status
          && status.isNewSynchronization()) {
        TransactionSynchronizationManager.registerSynchronization(new Ends(manager));
      }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      isOver(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      isOver(transaction);
    }

    private void isOver(TransactionExecution transaction) {
      Object resource = resourceOf(manager);
      if (transaction.isNewTransaction() && resource != null) {
        RESOURCES.remove(resource);
      }
    }
  }

  /**
   * The first that is called at the end. Not just before the commit: what is written by that (JPA's
   * entities) may call others, and they still take part.
   */
  private record Ends(ResourceTransactionManager manager)
      implements TransactionSynchronization, PriorityOrdered {

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCommit() {
      hasEnded();
    }

    @Override
    public void afterCompletion(int status) {
      hasEnded();
    }

    private void hasEnded() {
      Object resource = resourceOf(manager);
      if (resource != null) {
        RESOURCES.add(resource);
      }
    }
  }
}
