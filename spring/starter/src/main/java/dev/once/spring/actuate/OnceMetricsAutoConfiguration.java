package dev.once.spring.actuate;

import dev.once.core.OnceListener;
import dev.once.ops.micrometer.OnceMetrics;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** With once-ops-micrometer and a registry, what becomes of operations is counted there. */
@AutoConfiguration(
    after = OnceAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({MeterRegistry.class, OnceMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
public class OnceMetricsAutoConfiguration {

  /** One of the application's listeners. */
  @Bean
  @ConditionalOnMissingBean
  OnceMetrics onceMetrics(MeterRegistry registry) {
    return new OnceMetrics(registry);
  }

  @Bean
  OnceListener onceFallbackCounter(OnceMetrics metrics) {
    return new OnceListener() {
      @Override
      public void fellBack() {
        metrics.fellBack();
      }
    };
  }

  @Bean
  StoredCounts onceStoredCounts(OnceMetrics metrics) {
    return metrics::stored;
  }
}
