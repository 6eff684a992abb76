package dev.once.spring.mvc;

import dev.once.core.Once;
import dev.once.http.semantics.Problems;
import dev.once.http.semantics.RefusalFormat;
import dev.once.http.servlet.OnceFilter;
import dev.once.spring.CallerIdentityWarning;
import dev.once.spring.OncePolicies;
import dev.once.spring.OnceProperties;
import dev.once.spring.autoconfigure.OnceAutoConfiguration;
import dev.once.spring.transaction.OnceTransactions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** The filter in front of Spring MVC, and what handlers may ask for. */
@AutoConfiguration(after = OnceAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, OnceFilter.class})
public class OnceServletAutoConfiguration {

  /**
   * Where Boot puts Spring Security's filters, unless spring.security.filter.order says otherwise.
   */
  private static final int SECURITY_ORDER = -100;

  private static final int AFTER_SECURITY = 10;

  @Bean
  HandlerPolicies onceHandlerPolicies(
      OncePolicies policies, OnceProperties properties, ListableBeanFactory beans) {
    return new HandlerPolicies(policies, properties, beans);
  }

  @Bean
  @ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
  @DependsOn("onceStoreFinder") // which begins to open the store
  OnceServletFilter onceServletFilter(
      OnceProperties properties,
      HandlerPolicies policies,
      ObjectProvider<TenantResolver> tenants,
      BeanFactory beans) {
    Supplier<OnceFilter.Builder> builder =
        () -> {
          Problems problems = beans.getBean(Problems.class);
          return OnceFilter.builder(beans.getBean(Once.class))
              .routes(policies::match)
              .callers(new RequestScopes(properties.getScope().rule(), tenants.getIfAvailable()))
              .docs(problems.docs())
              .refusalFormat(problems.format())
              .errorPages(true); // Boot's own, at /error
        };
    return new OnceServletFilter(
        () -> {
          CallerIdentityWarning.warnUnless(
              properties.getScope(), tenants.getIfAvailable() != null, beans);
          return builder.get().build();
        },
        () ->
            builder
                .get()
                .runner(new TransactionRunner(beans.getBean(OnceTransactions.class), policies))
                .build(),
        policies);
  }

  @Bean
  @ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
  FilterRegistrationBean<Filter> onceFilter(
      OnceServletFilter filter, OnceProperties properties, Environment environment) {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
    registration.setName("onceFilter");
    registration.setDispatcherTypes(
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
    registration.setAsyncSupported(true);
    Integer order = properties.getFilter().getOrder();
    registration.setOrder(order != null ? order : securityOrder(environment) + AFTER_SECURITY);
    return registration;
  }

  /** Outside of Spring Security's, which answers some exceptions itself. */
  @Bean
  @ConditionalOnProperty(name = "once.filter.enabled", matchIfMissing = true)
  FilterRegistrationBean<Filter> onceOutermostFilter() {
    FilterRegistrationBean<Filter> registration =
        new FilterRegistrationBean<>(new OutermostFilter());
    registration.setName("onceOutermostFilter");
    registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    registration.setAsyncSupported(true);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  private static int securityOrder(Environment environment) {
    return environment.getProperty("spring.security.filter.order", Integer.class, SECURITY_ORDER);
  }

  @Bean
  ThrownExceptionObserver onceThrownResolver() {
    return new ThrownExceptionObserver();
  }

  /** Has no order, and so comes after Spring MVC's own, which ask the application's handlers. */
  @Bean
  RefusalResolver onceRefusalResolver(HandlerPolicies policies, Problems problems) {
    return new RefusalResolver(policies, problems);
  }

  /** Their types link to the policy page, under whatever Spring MVC is; a bean may word them. */
  @Bean
  @ConditionalOnMissingBean
  Problems onceProblems(
      OnceProperties properties,
      ServletContext context,
      Environment environment,
      ObjectProvider<RefusalFormat> format) {
    String servlet = environment.getProperty("spring.mvc.servlet.path", "");
    return new Problems(
        properties.docs(context.getContextPath() + StringUtils.trimTrailingCharacter(servlet, '/')),
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
  static class OnceArguments implements WebMvcConfigurer {
    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
      resolvers.add(new ExecutionArgument());
    }
  }
}
