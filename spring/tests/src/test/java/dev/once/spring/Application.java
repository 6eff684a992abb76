package dev.once.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application that a test starts: Boot with its auto-configuration, some beans and properties,
 * and by default neither a database nor a Redis nor Spring Security, though their classes are
 * there.
 */
final class Application {

  /** What can be left out, by its names in Boot 3 and Boot 4. */
  enum Part {
    DATABASE(
        "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
        "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"),
    JPA(
        "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
        "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
        "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration",
        "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration"),
    REDIS(
        "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
        "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"),
    SECURITY(
        "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
        "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration",
        "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration");

    @SuppressWarnings("ImmutableEnumChecker") // it is
    private final List<String> names;

    Part(String... names) {
      this.names = List.of(names);
    }
  }

  private final List<Class<?>> sources = new ArrayList<>();
  private final Map<String, Object> properties = new TreeMap<>();
  private final List<Part> parts = new ArrayList<>();
  private WebApplicationType type = WebApplicationType.SERVLET;

  private Application() {}

  static Application of(Class<?>... beans) {
    Application application = new Application();
    application.sources.add(Base.class);
    application.sources.addAll(List.of(beans));
    application.properties.put("server.port", "0");
    application.properties.put("spring.main.banner-mode", "off");
    application.properties.put("spring.jmx.enabled", "false");
    application.properties.put("once.store.url", "memory:");
    return application;
  }

  /** A property; null to leave it out. */
  Application with(String name, Object value) {
    if (value == null) {
      properties.remove(name);
    } else {
      properties.put(name, value);
    }
    return this;
  }

  Application with(Part part) {
    parts.add(part);
    return this;
  }

  Application withoutWeb() {
    type = WebApplicationType.NONE;
    return this;
  }

  ConfigurableApplicationContext start() {
    List<String> excluded = new ArrayList<>();
    for (Part part : Part.values()) {
      if (!parts.contains(part)) {
        excluded.addAll(part.names);
      }
    }
    properties.put("spring.autoconfigure.exclude", String.join(",", excluded));
    SpringApplication application = new SpringApplication(sources.toArray(Class<?>[]::new));
    application.setWebApplicationType(type);
    application.setDefaultProperties(properties);
    application.setRegisterShutdownHook(false);
    return application.run();
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Base {}
}
