package dev.once.spring.webflux;

import dev.once.core.Once;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.RefusalFormat;
import dev.once.spring.CallerIdentityWarning;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.util.StringUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.WebExceptionHandler;

/** The filter in front of WebFlux, and what handlers may ask for. */
@AutoConfiguration(after = OnceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
public class OnceWebFluxAutoConfiguration {

  /** Where Spring Security puts its filters. */
  private static final int SECURITY_ORDER = -100;

  private static final int AFTER_SECURITY = 10;

  @Bean
  AnnotatedHandlers onceAnnotatedHandlers(OncePolicies policies, ListableBeanFactory beans) {
    return new AnnotatedHandlers(policies, beans);
  }

  @Bean
  @ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
  OnceWebFilter onceWebFilter(
      Once once,
      OnceProperties properties,
      AnnotatedHandlers policies,
      Problems problems,
      ObjectProvider<ReactiveTenantResolver> tenants,
      ObjectProvider<WebExceptionHandler> errorHandlers,
      ServerCodecConfigurer codecs,
      ListableBeanFactory beans) {
    CallerIdentityWarning.warnUnless(
        properties.getScope(), tenants.getIfAvailable() != null, beans);
    Integer order = properties.getFilter().getOrder();
    return new OnceWebFilter(
        new OnceWebFilter.Parts(
            once,
            policies,
            new ExchangeScopes(properties.getScope().rule(), tenants.getIfAvailable()),
            problems,
            errorHandlers.orderedStream().toList(),
            codecs),
        order != null ? order : SECURITY_ORDER + AFTER_SECURITY);
  }

  /** Before all filters: one that reads a body leaves no trace of it. */
  @Bean
  @ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
  HttpHandlerDecoratorFactory onceNoticedBodies() {
    return BodyDetector::before;
  }

  @Bean
  RefusalHandler onceRefusalHandler(AnnotatedHandlers policies, Problems problems) {
    return new RefusalHandler(policies, problems);
  }

  /** Their types link to the policy page, under whatever WebFlux is; a bean may word them. */
  @Bean
  @ConditionalOnMissingBean
  Problems onceProblems(
      OnceProperties properties, Environment environment, ObjectProvider<RefusalFormat> format) {
    String base = environment.getProperty("spring.webflux.base-path", "");
    return new Problems(
        properties.docs(StringUtils.trimTrailingCharacter(base, '/')),
        format.getIfAvailable(() -> RefusalFormat.OF_THE_POLICY));
  }

  /** Comes after the application's own handlers, and before its static files. */
  @Bean
  @ConditionalOnProperty(
      name = {"once.policy-page.enabled", "once.filter.enabled"},
      matchIfMissing = true)
  SimpleUrlHandlerMapping oncePolicyPage(OncePolicies policies, OnceProperties properties) {
    return new SimpleUrlHandlerMapping(
        Map.of(properties.getPolicyPage().getPath(), new PolicyPageHandler(policies)),
        Ordered.LOWEST_PRECEDENCE - 10);
  }

  /** Arguments of handler methods. */
  @Configuration(proxyBeanMethods = false)
  static class OnceArguments implements WebFluxConfigurer {
    @Override
    public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
      configurer.addCustomResolver(new ExecutionArgument());
    }
  }
}
