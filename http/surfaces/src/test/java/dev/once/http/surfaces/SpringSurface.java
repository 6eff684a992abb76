package dev.once.http.surfaces;

import dev.once.core.Once;
import dev.once.core.store.Store;
import dev.once.spring.OnceCustomizer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;

/** An application of Spring Boot with the starter: Spring MVC on Tomcat, or WebFlux on Netty. */
final class SpringSurface implements Surface {

  static final String STORE_TIMEOUT = "1s";

  private final FaultyStore store = new FaultyStore();
  private final ConfigurableApplicationContext context;

  private SpringSurface(WebApplicationType type, Class<?> handlers) {
    Map<String, Object> properties = new HashMap<>(Policies.properties());
    properties.put("server.port", "0");
    properties.put("server.address", "127.0.0.1");
    properties.put("spring.main.banner-mode", "off");
    properties.put("logging.level.root", "off");
    SpringApplication application = new SpringApplication(Base.class, handlers);
    application.setWebApplicationType(type);
    application.setDefaultProperties(properties);
    application.setRegisterShutdownHook(false);
    application.addInitializers(
        starting -> ((GenericApplicationContext) starting).registerBean(Store.class, () -> store));
    context = application.run();
  }

  static SpringSurface mvc() {
    return new SpringSurface(WebApplicationType.SERVLET, MvcHandlers.class);
  }

  static SpringSurface webFlux() {
    return new SpringSurface(WebApplicationType.REACTIVE, WebFluxHandlers.class);
  }

  @Override
  public FaultyStore store() {
    return store;
  }

  @Override
  public int port(Behaviour behaviour, boolean first) {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  @Override
  public void closeEngine() {
    context.getBean(Once.class).close();
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Base {

    @Bean
    OnceCustomizer quickStore() {
      return once -> once.storeTimeout(Duration.ofSeconds(1));
    }
  }
}
