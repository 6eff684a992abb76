package dev.once.spring.transaction;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** What {@code @Transactional} says, as Spring's own advice reads it. */
final class TransactionAttributes {

  private TransactionAttributes() {}

  /** Not of public methods only: Spring's own advice looks at all that a class proxy can have. */
  static TransactionAttributeSource of(BeanFactory beans) {
    AnnotationTransactionAttributeSource attributes =
        new AnnotationTransactionAttributeSource(false);
    if (beans instanceof ConfigurableBeanFactory factory) {
      attributes.setEmbeddedValueResolver(new EmbeddedValueResolver(factory)); // ${pay.timeout}
    }
    return attributes;
  }
}
