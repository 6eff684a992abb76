package dev.once.spring.method;

import dev.once.spring.Idempotent;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.transaction.OnceTransactions;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;

/**
 * Looks at all {@link Idempotent} bean methods when the application starts, so that one that cannot
 * work stops it then, and not at the first call.
 */
final class IdempotentCheck implements SmartInitializingSingleton {

  /** By name: it need not be there. */
  private static final String TRANSACTION =
      "org.springframework.transaction.interceptor.TransactionInterceptor";

  private final IdempotentMethods methods;
  private final ConfigurableListableBeanFactory beans;

  IdempotentCheck(IdempotentMethods methods, ConfigurableListableBeanFactory beans) {
    this.methods = methods;
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanDefinitionNames()) {
      if (!name.startsWith("scopedTarget.")) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type != null && methods.mayBeAnnotated(type)) {
          check(name, type);
        }
      }
    }
  }

  private void check(String name, Class<?> type) {
    Map<Method, Idempotent> annotated =
        MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<@Nullable Idempotent>)
                method -> IdempotentMethods.ofBeanMethod(method, type));
    Set<String> names = new HashSet<>();
    for (Method method : annotated.keySet()) {
      IdempotentMethod found = methods.of(method, type);
      if (!names.add(found.name()) && annotated.get(method).name().isEmpty()) {
        throw new OnceConfigurationException(
            "@Idempotent on %s: several methods have this name, and would have their keys in common"
                    .formatted(found.name())
                + " (expected: a name for each)",
            "Give each of them one: @Idempotent(name = \"...\").");
      }
      if (found.sameTransaction()) {
        OnceTransactions.require(beans);
        beans.getBean(OnceTransactions.class).definition(found.method(), found.type());
      } else {
        requireTransactionInside(found.method(), type);
      }
    }
    if (!annotated.isEmpty() && !isAdvised(beans.getSingleton(name))) {
      throw new OnceConfigurationException(
          "@Idempotent on %s: the bean %s was made too early to be advised (expected: a proxy)"
              .formatted(type.getName(), name),
          "Something that takes part in making beans, such as a BeanPostProcessor, depends on it:"
              + " break that dependency, for example by an ObjectProvider.");
    }
  }

  /** Fails if the method's transaction would be committed after its result is recorded. */
  private void requireTransactionInside(Method method, Class<?> type) {
    for (PointcutAdvisor advisor :
        beans.getBeansOfType(PointcutAdvisor.class, true, false).values()) {
      if (advisor.getAdvice().getClass().getName().equals(TRANSACTION)
          && advisor instanceof Ordered ordered
          && ordered.getOrder() <= IdempotentAdvisor.ORDER
          && AopUtils.canApply(advisor.getPointcut(), type)
          && advisor.getPointcut().getMethodMatcher().matches(method, type)) {
        throw new OnceConfigurationException(
            "@Idempotent on %s.%s: its @Transactional has order %d and so comes first: the result would"
                    .formatted(type.getName(), method.getName(), ordered.getOrder())
                + " be recorded before the commit (expected: an order of more than %d, as without one)"
                    .formatted(IdempotentAdvisor.ORDER),
            "Remove order from @EnableTransactionManagement, or say sameTransaction = true.");
      }
    }
  }

  /** A bean that is not there yet will be; what a factory makes is not looked at. */
  private static boolean isAdvised(@Nullable Object bean) {
    return bean == null
        || bean instanceof FactoryBean
        || (bean instanceof Advised advised
            && Arrays.stream(advised.getAdvisors())
                .anyMatch(advisor -> advisor instanceof IdempotentAdvisor));
  }
}
