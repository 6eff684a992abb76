package dev.once.spring.transaction;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that a bean method is called in. Its end decides what became of the method's
 * effect, unless the method takes no part in it.
 *
 * <p>Only loaded where Spring's transactions are there.
 */
public final class CallerTransaction {

  /** What the transaction that a method is called in is to the method. */
  public enum Part {
    /** There is none, or the method has its own, or none. */
    NONE,

    /** What the method does is done in it. */
    DECLARED,

    /** The method does not say. */
    NOT_KNOWN
  }

  /** How it ended, for the method that was called in it. */
  public enum End {
    COMMITTED,

    /** What the method did is undone. */
    UNDONE,

    /**
     * The transaction was rolled back, but the method may have done something outside of it; or
     * nobody knows whether it was committed.
     */
    UNKNOWN
  }

  private final TransactionAttributeSource attributes;
  private final BeanFactory beans;

  public CallerTransaction(BeanFactory beans) {
    this.attributes = TransactionAttributes.of(beans);
    this.beans = beans;
  }

  /**
   * Which part the method takes in it, if it is called now.
   *
   * @throws IllegalStateException if it would join one that has ended
   */
  public Part partOf(Method method, Class<?> type) {
    if (!isActive() && !CompletedTransactions.areHere()) {
      return Part.NONE;
    }
    TransactionAttribute wanted = attributes.getTransactionAttribute(method, type);
    if (wanted == null) {
      return isActive() ? Part.NOT_KNOWN : Part.NONE;
    }
    return switch (wanted.getPropagationBehavior()) {
      case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
          TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
          TransactionDefinition.PROPAGATION_NEVER ->
          Part.NONE;
      default -> partOf(wanted, method, type);
    };
  }

  private static boolean isActive() {
    return TransactionSynchronizationManager.isSynchronizationActive()
        && TransactionSynchronizationManager.isActualTransactionActive();
  }

  /** The caller's may be of another manager (a broker's, say): the method has its own then. */
  private Part partOf(TransactionAttribute wanted, Method method, Class<?> type) {
    TransactionManager manager;
    try {
      manager = new MethodTransactionManager(beans).of(wanted, type);
    } catch (BeansException e) {
      return Part.NOT_KNOWN;
    }
    if (!(manager instanceof PlatformTransactionManager asked)) {
      return Part.NOT_KNOWN;
    }
    if (mayWriteNothing(wanted) && CompletedTransactions.isHere(manager)) {
      return Part.NONE; // a mail that reads an order, say
    }
    CompletedTransactions.refuseToJoin(manager, method, type);
    if (!isActive()) {
      return Part.NONE;
    }
    DefaultTransactionDefinition ifThere =
        new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);
    ifThere.setReadOnly(TransactionSynchronizationManager.isCurrentTransactionReadOnly());
    TransactionStatus status = asked.getTransaction(ifThere);
    boolean isThere = status.hasTransaction();
    if (!status.isRollbackOnly()) {
      asked.commit(status); // ends the question, and nothing else
    }
    return isThere ? Part.DECLARED : Part.NONE;
  }

  /** Whether it need not be committed. */
  private static boolean mayWriteNothing(TransactionAttribute wanted) {
    return wanted.isReadOnly()
        || wanted.getPropagationBehavior() == TransactionDefinition.PROPAGATION_SUPPORTS;
  }

  /** Calls back when it has ended. */
  public static void whenEnded(Part part, Consumer<End> told) {
    TransactionSynchronizationManager.registerSynchronization(new Ending(part, told));
  }

  private static final class Ending implements TransactionSynchronization {
    private final Part part;
    private final Consumer<End> told;

    /** Those that were made after the method has run: to go back to one of them undoes no part. */
    private final Set<Object> later = Collections.newSetFromMap(new IdentityHashMap<>());

    private final @Nullable CommitAttempt commit = CommitAttempt.here();

    private boolean undone;
    private boolean committing;

    Ending(Part part, Consumer<End> told) {
      this.part = part;
      this.told = told;
      if (commit != null && part == Part.DECLARED) {
        commit.writeFirst();
      }
    }

    @Override
    public void savepoint(Object savepoint) {
      later.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
      undone |= !later.contains(savepoint);
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      committing = true;
    }

    /**
     * Without a manager that tells, what fails before the commit is not told from what fails in it.
     */
    private boolean mayBeCommitted() {
      return commit != null ? commit.isAsked() : committing;
    }

    @Override
    public void afterCompletion(int status) {
      if (undone || (status == STATUS_ROLLED_BACK && !mayBeCommitted())) {
        told.accept(part == Part.DECLARED ? End.UNDONE : End.UNKNOWN);
      } else {
        told.accept(status == STATUS_COMMITTED ? End.COMMITTED : End.UNKNOWN);
      }
    }
  }
}
