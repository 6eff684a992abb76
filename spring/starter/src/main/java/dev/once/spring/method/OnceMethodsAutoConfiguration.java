package dev.once.spring.method;

import dev.once.core.Once;
import dev.once.spring.Idempotent;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import dev.once.spring.transaction.CompletedTransactions;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.ConfigurableTransactionManager;

/** {@link Idempotent} on methods of beans. */
@AutoConfiguration(after = OnceAutoConfiguration.class)
@Import(OnceMethodsAutoConfiguration.Proxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class OnceMethodsAutoConfiguration {

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static IdempotentMethods onceIdempotentMethods(BeanFactory beans) {
    return new IdempotentMethods(beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static IdempotentAdvisor onceIdempotentAdvisor(IdempotentMethods methods, BeanFactory beans) {
    return new IdempotentAdvisor(new IdempotentInterceptor(methods, beans), methods);
  }

  @Bean
  @Lazy
  LeasedCalls onceLeasedCalls(Once once, BeanFactory beans) {
    return new LeasedCalls(once, beans);
  }

  @Bean
  static IdempotentCheck onceIdempotentCheck(
      IdempotentMethods methods, ConfigurableListableBeanFactory beans) {
    return new IdempotentCheck(methods, beans);
  }

  /** Where Spring's transactions are there. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ConfigurableTransactionManager.class)
  static class Transactions {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CompletedTransactions onceEndedTransactions() {
      return new CompletedTransactions();
    }
  }

  /** What makes proxies; Boot has it too, unless it was told not to. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
