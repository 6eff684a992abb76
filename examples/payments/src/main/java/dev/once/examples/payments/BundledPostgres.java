package dev.once.examples.payments;

import dev.once.testing.servers.PostgresServer;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Starts a PostgreSQL for this run, unless {@code SPRING_DATASOURCE_URL} names one. */
final class BundledPostgres
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final String URL = "spring.datasource.url";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    if (!context.getEnvironment().containsProperty(URL)) {
      Map<String, Object> found = Map.of(URL, start().jdbcUrl());
      context
          .getEnvironment()
          .getPropertySources()
          .addLast(new MapPropertySource("bundled PostgreSQL", found));
    }
  }

  /** It ends, and its data is deleted, when this JVM ends. */
  private static PostgresServer start() {
    try {
      return PostgresServer.start();
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "SPRING_DATASOURCE_URL: not set, and no PostgreSQL could be started here (expected: such"
              + " as jdbc:postgresql://localhost/payments?user=me); set it",
          e);
    }
  }
}
