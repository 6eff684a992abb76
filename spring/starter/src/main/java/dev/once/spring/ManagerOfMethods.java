package dev.once.spring;

import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Which transaction manager Spring runs a method under, found by Spring's own code: the annotation
 * may name it, a {@code @Qualifier} on the class may, or a {@code TransactionManagementConfigurer};
 * or else it is the only or the primary one.
 */
final class ManagerOfMethods extends TransactionAspectSupport {

  ManagerOfMethods(BeanFactory beans) {
    setBeanFactory(beans);
    // The default of a TransactionManagementConfigurer is known to Spring's own aspect.
    beans.getBeanProvider(TransactionAspectSupport.class).stream()
        .map(TransactionAspectSupport::getTransactionManager)
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(this::setTransactionManager);
  }

  /** Throws a BeansException if Spring finds none, or too many. */
  TransactionManager of(TransactionAttribute wanted, Class<?> type) {
    return Objects.requireNonNull(determineTransactionManager(wanted, type));
  }
}
