package dev.once.spring;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that a bean method is called in. Its end decides what became of the method's
 * effect, unless the method says that it takes no part in it.
 *
 * <p>Only loaded where Spring's transactions are there.
 */
final class CallersTransaction {

  /** How it ended, for the method that was called in it. */
  enum End {
    COMMITTED,

    /** What the method did is undone. */
    UNDONE,

    /** The transaction was rolled back, but the method may have done something outside of it. */
    UNKNOWN
  }

  private static final AnnotationTransactionAttributeSource ATTRIBUTES =
      new AnnotationTransactionAttributeSource(false);

  private CallersTransaction() {}

  /** Whether there is one, and the method may take part in it. */
  static boolean isJoinedBy(Method method, Class<?> type) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return false;
    }
    TransactionAttribute wanted = ATTRIBUTES.getTransactionAttribute(method, type);
    return wanted == null
        || switch (wanted.getPropagationBehavior()) {
          case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
              TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
              TransactionDefinition.PROPAGATION_NEVER ->
              false;
          default -> true;
        };
  }

  /** Calls back when it has ended. */
  static void whenEnded(Method method, Class<?> type, Consumer<End> told) {
    boolean declared = ATTRIBUTES.getTransactionAttribute(method, type) != null;
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            told.accept(
                status == STATUS_COMMITTED
                    ? End.COMMITTED
                    : status == STATUS_ROLLED_BACK && declared ? End.UNDONE : End.UNKNOWN);
          }
        });
  }
}
