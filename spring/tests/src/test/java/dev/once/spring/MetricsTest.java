package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.testing.servers.PostgresServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** Bean methods are counted like requests, under a lease and in a transaction. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MetricsTest {

  private static ConfigurableApplicationContext context;
  private static Billing billing;
  private static MeterRegistry registry;

  private double misses;
  private double hits;

  @BeforeAll
  static void start() throws Exception {
    String url = PostgresServer.shared().newDatabase();
    context =
        Application.of(Beans.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    billing = context.getBean(Billing.class);
    registry = context.getBean(MeterRegistry.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void before() {
    misses = value("idempotency.misses");
    hits = value("idempotency.hits");
  }

  @Configuration
  static class Beans {
    @Bean
    MeterRegistry counted() {
      return new SimpleMeterRegistry();
    }

    @Bean
    Billing billing() {
      return new Billing();
    }
  }

  static class Billing {
    @Idempotent(key = "#id")
    public String charge(String id) {
      assertThat(value("idempotency.processing.gauge")).isEqualTo(1);
      return "charged " + id;
    }

    @Idempotent(key = "#id", sameTransaction = true)
    @Transactional
    public String transfer(String id) {
      assertThat(value("idempotency.processing.gauge")).isEqualTo(1);
      return "transferred " + id;
    }

    @Idempotent(key = "#id", sameTransaction = true)
    @Transactional
    public String fail(String id) {
      throw new IllegalStateException("no funds for " + id);
    }
  }

  private static double value(String name) {
    return registry.get(name).meter().measure().iterator().next().getValue();
  }

  @Test
  void a_bean_method() {
    billing.charge("one");
    billing.charge("one");
    assertThat(value("idempotency.misses")).isEqualTo(misses + 1);
    assertThat(value("idempotency.hits")).isEqualTo(hits + 1);
    assertThat(value("idempotency.processing.gauge")).isZero();
  }

  @Test
  void a_transaction() {
    billing.transfer("one");
    billing.transfer("one");
    assertThat(value("idempotency.misses")).isEqualTo(misses + 1);
    assertThat(value("idempotency.hits")).isEqualTo(hits + 1);
    assertThat(value("idempotency.processing.gauge")).isZero();
  }

  @Test
  void a_transaction_that_is_rolled_back_does_not_run_any_more() {
    assertThatThrownBy(() -> billing.fail("one")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> billing.fail("one")).isInstanceOf(IllegalStateException.class);
    assertThat(value("idempotency.misses")).isEqualTo(misses + 2);
    assertThat(value("idempotency.processing.gauge")).isZero();
  }
}
