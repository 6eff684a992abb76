package dev.once.spring.openapi;

import dev.once.http.semantics.Problems;
import dev.once.spring.OncePolicies;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** With springdoc on the class path, its description tells of keys by itself. */
@AutoConfiguration(after = OnceAutoConfiguration.class)
@ConditionalOnClass(GlobalOpenApiCustomizer.class)
@ConditionalOnWebApplication
@ConditionalOnBean(OncePolicies.class)
@ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
public class OnceOpenApiAutoConfiguration {

  @Bean
  KeyedOperations onceKeyedOperations(OncePolicies policies, Problems problems) {
    return new KeyedOperations(policies, problems);
  }
}
