package dev.once.spring.autoconfigure;

import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.store.Store;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OnceCustomizer;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
import dev.once.spring.PolicyBinding;
import dev.once.spring.store.StoreFinder;
import dev.once.spring.transaction.OnceTransactions;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The store, the {@link Once} bean and the policies. A {@link Store} or a {@link Once} of the
 * application's own is stronger.
 *
 * <p>Boot 4 has moved what comes before to other packages: it is named for both, as text.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
      "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
      "org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration",
      "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@EnableConfigurationProperties(OnceProperties.class)
public class OnceAutoConfiguration {

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static PolicyBinding oncePolicyBinding() {
    return new PolicyBinding();
  }

  @Bean
  @ConditionalOnMissingBean({Store.class, Once.class})
  @DependsOnDatabaseInitialization // the tables may be among the application's migrations
  @Lazy // as late as may be: it opens meanwhile
  Store onceStore(StoreFinder finder) {
    return finder.open();
  }

  @Bean
  StoreFinder onceStoreFinder(OnceProperties properties, ListableBeanFactory beans) {
    StoreFinder finder = new StoreFinder(properties.getStore(), beans);
    if (beans.containsBeanDefinition("onceStore")) {
      finder.begin();
    }
    return finder;
  }

  /** A store that cannot be opened stops the start. */
  @Bean
  static SmartInitializingSingleton onceStoreIsOpen(ObjectProvider<Once> once) {
    return once::getIfAvailable;
  }

  @Bean
  @ConditionalOnMissingBean
  @Lazy
  Once once(
      Store store,
      ObjectProvider<OnceListener> listeners,
      ObjectProvider<OnceCustomizer> customizers) {
    Once.Builder builder = Once.builder(store);
    listeners.orderedStream().forEach(builder::listener);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }

  @Bean
  @ConditionalOnMissingBean
  OncePolicies oncePolicies(OnceProperties properties, Environment environment) {
    return OncePolicies.of(properties, environment);
  }

  /** Same-transaction mode, where it is asked for: made only then. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({PlatformTransactionManager.class, DataSourceUtils.class})
  static class TransactionConfiguration {

    @Bean
    @Lazy
    OnceTransactions onceTransactions(
        StoreFinder finder,
        ObjectProvider<PlatformTransactionManager> managers,
        OnceProperties properties,
        Once once,
        BeanFactory beans) {
      DataSource dataSource = finder.dataSource();
      PlatformTransactionManager manager = managers.getIfUnique();
      if (manager == null) {
        throw new OnceConfigurationException(
            "Same-transaction mode is asked for, but there is no PlatformTransactionManager, or"
                + " several and none is primary (expected: the one of the DataSource)",
            "Mark the one of the DataSource that keys are kept in as @Primary.");
      }
      return new OnceTransactions(
          dataSource, manager, beans, properties.getSameTransactionWait(), once.listener());
    }
  }
}
