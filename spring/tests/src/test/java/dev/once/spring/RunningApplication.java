package dev.once.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A web application of Boot that runs, on a free port, and a client for it. Without a database, a
 * Redis or Spring Security unless the properties say otherwise.
 */
public final class RunningApplication implements AutoCloseable {

  private static final String EXCLUDE = "spring.autoconfigure.exclude";

  private static final String DATABASE_AND_REDIS =
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration,"
          + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
          + "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
          + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
          + "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration,"
          + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
          + "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration,"
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

  /** What makes every request need a password, by its names in Boot 3 and Boot 4. */
  private static final String SECURITY =
      ",org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration"
          + ",org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration"
          + ",org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration"
          + ",org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration"
          + ",org.springframework.boot.autoconfigure.security.reactive.ReactiveSecurityAutoConfiguration"
          + ",org.springframework.boot.autoconfigure.security.reactive.ReactiveUserDetailsServiceAutoConfiguration"
          + ",org.springframework.boot.actuate.autoconfigure.security.reactive.ReactiveManagementWebSecurityAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration"
          + ",org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration";

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ConfigurableApplicationContext context;

  private RunningApplication(
      WebApplicationType type, boolean secured, Map<String, Object> properties, Class<?>... beans) {
    Map<String, Object> all = new HashMap<>();
    all.put("server.port", "0");
    all.put("spring.main.banner-mode", "off");
    all.put("spring.jmx.enabled", "false");
    all.put("once.store.url", "memory:");
    all.put(EXCLUDE, DATABASE_AND_REDIS + (secured ? "" : SECURITY));
    all.putAll(properties);
    List<Class<?>> sources = new ArrayList<>(List.of(beans));
    sources.add(Base.class);
    SpringApplication application = new SpringApplication(sources.toArray(Class<?>[]::new));
    application.setWebApplicationType(type);
    application.setDefaultProperties(all);
    application.setRegisterShutdownHook(false);
    context = application.run();
  }

  public static RunningApplication servlet(Map<String, Object> properties, Class<?>... beans) {
    return new RunningApplication(WebApplicationType.SERVLET, false, properties, beans);
  }

  public static RunningApplication securedServlet(
      Map<String, Object> properties, Class<?>... beans) {
    return new RunningApplication(WebApplicationType.SERVLET, true, properties, beans);
  }

  public static RunningApplication reactive(Map<String, Object> properties, Class<?>... beans) {
    return new RunningApplication(WebApplicationType.REACTIVE, false, properties, beans);
  }

  public static RunningApplication securedReactive(
      Map<String, Object> properties, Class<?>... beans) {
    return new RunningApplication(WebApplicationType.REACTIVE, true, properties, beans);
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public boolean has(Class<?> type) {
    return context.getBeanProvider(type).stream().findAny().isPresent();
  }

  public URI uri(String path) {
    String port = context.getEnvironment().getRequiredProperty("local.server.port");
    return URI.create("http://localhost:" + port + path);
  }

  public HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    return send(request(path, headers).GET());
  }

  public HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    return send(request(path, headers).POST(BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> delete(String path, String... headers)
      throws IOException, InterruptedException {
    return send(request(path, headers).DELETE());
  }

  public HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofMinutes(5));
    return headers.length == 0 ? request : request.headers(headers);
  }

  public HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Base {}
}
