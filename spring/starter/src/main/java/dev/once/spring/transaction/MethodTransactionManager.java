package dev.once.spring.transaction;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.config.TransactionManagementConfigUtils;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Which transaction manager Spring runs a method under, found by Spring's own code: the annotation
 * may name it, a {@code @Qualifier} on the class may, or a {@code TransactionManagementConfigurer},
 * or XML; or else it is the only or the primary one.
 */
final class MethodTransactionManager extends TransactionAspectSupport {

  private static final String NAME_IN_XML = "transactionManagerBeanName";

  MethodTransactionManager(BeanFactory beans) {
    setBeanFactory(beans);
    // The default of a TransactionManagementConfigurer is known to Spring's own aspect.
    TransactionAspectSupport springs = behindAnnotations(beans);
    if (springs != null) {
      setTransactionManager(springs.getTransactionManager());
    }
    setTransactionManagerBeanName(nameInXml(beans));
  }

  /** What XML names as the default: the aspect keeps that to itself, but its definition has it. */
  private static @Nullable String nameInXml(BeanFactory beans) {
    String aspect = TransactionManagementConfigUtils.TRANSACTION_ASPECT_BEAN_NAME;
    if (beans.containsBean(TransactionManagementConfigUtils.TRANSACTION_ADVISOR_BEAN_NAME)
        && beans.getBean(TransactionManagementConfigUtils.TRANSACTION_ADVISOR_BEAN_NAME)
            instanceof AbstractBeanFactoryPointcutAdvisor advisor) {
      aspect = advisor.getAdviceBeanName();
    }
    return aspect != null
            && beans.containsBean(aspect)
            && beans instanceof ConfigurableBeanFactory factory
            && factory.getMergedBeanDefinition(aspect).getPropertyValues().get(NAME_IN_XML)
                instanceof String name
        ? name
        : null;
  }

  /** What {@code @Transactional} is done by: there may be more of its kind, for other beans. */
  private static @Nullable TransactionAspectSupport behindAnnotations(BeanFactory beans) {
    if (beans.containsBean(TransactionManagementConfigUtils.TRANSACTION_ADVISOR_BEAN_NAME)) {
      Advisor advisor =
          beans.getBean(
              TransactionManagementConfigUtils.TRANSACTION_ADVISOR_BEAN_NAME, Advisor.class);
      return advisor.getAdvice() instanceof TransactionAspectSupport support ? support : null;
    }
    if (beans.containsBean(TransactionManagementConfigUtils.TRANSACTION_ASPECT_BEAN_NAME)) {
      return beans.getBean(
          TransactionManagementConfigUtils.TRANSACTION_ASPECT_BEAN_NAME,
          TransactionAspectSupport.class); // AspectJ's
    }
    return beans.getBeanProvider(TransactionAspectSupport.class).getIfUnique();
  }

  /** Throws a BeansException if Spring finds none, or too many. */
  TransactionManager of(TransactionAttribute wanted, Class<?> type) {
    return Objects.requireNonNull(determineTransactionManager(wanted, type));
  }
}
