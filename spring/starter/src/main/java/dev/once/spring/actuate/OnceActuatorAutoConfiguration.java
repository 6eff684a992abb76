package dev.once.spring.actuate;

import dev.once.core.store.Store;
import dev.once.spring.OncePolicies;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The store's health, the endpoint for keys, and info.
 *
 * <p>Boot 4 has moved the types of health to another jar: there is an indicator for each, and the
 * class path says which is used. All else has the same names in both.
 */
@AutoConfiguration(
    after = OnceAutoConfiguration.class,
    beforeName = {
      "org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration",
      "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration"
    })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(Store.class)
public class OnceActuatorAutoConfiguration {

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  OnceEndpoint onceEndpoint(Store store, ObjectProvider<StoredCounts> metrics) {
    return new OnceEndpoint(store, metrics.getIfAvailable(() -> counts -> {}));
  }

  /** Health in Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
  static class Boot3Health {
    @Bean
    @ConditionalOnMissingBean(name = "onceHealthIndicator")
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator(
        "once")
    Boot3HealthIndicator onceHealthIndicator(Store store) {
      return new Boot3HealthIndicator(new StoreHealth(store));
    }
  }

  /** Health in Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  static class Boot4Health {
    @Bean
    @ConditionalOnMissingBean(name = "onceHealthIndicator")
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator(
        "once")
    Boot4HealthIndicator onceHealthIndicator(Store store) {
      return new Boot4HealthIndicator(new StoreHealth(store));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(InfoContributor.class)
  static class OnceInfoConfiguration {
    @Bean
    @ConditionalOnEnabledInfoContributor("once")
    OnceInfo onceInfoContributor(Store store, OncePolicies policies) {
      return new OnceInfo(new StoreHealth(store), policies);
    }
  }
}
