package dev.once.examples.payments;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * A PostgreSQL for this run, unless {@code spring.datasource.url} names one.
 *
 * <p>It is a bean, and has no shutdown hook of its own: Spring stops it after all that uses it. A
 * hook would run at the same time as Spring's, and take the database from under the application.
 */
@TestConfiguration(proxyBeanMethods = false)
@ConditionalOnProperty(
    name = "spring.datasource.url",
    havingValue = "there is none",
    matchIfMissing = true)
class LocalPostgres {

  /** One that keeps what it has committed, as in production; its default is not to. */
  static EmbeddedPostgres.Builder durable() {
    return EmbeddedPostgres.builder()
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on");
  }

  @Bean
  EmbeddedPostgres postgres() throws IOException {
    return durable().setRegisterShutdownHook(false).start();
  }

  @Bean
  DataSource dataSource(EmbeddedPostgres postgres) {
    return DataSourceBuilder.create().url(postgres.getJdbcUrl("postgres", "postgres")).build();
  }
}
