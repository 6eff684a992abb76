package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.testing.servers.PostgresServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A request is counted as refused also if the database is down in which its transaction would
 * begin.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DatabaseDownTest {

  static final List<String> told = new CopyOnWriteArrayList<>();

  @Configuration
  static class Beans {
    @Bean
    MeterRegistry counted() {
      return new SimpleMeterRegistry();
    }

    @Bean
    OnceListener heard() {
      return new OnceListener() {
        @Override
        public void refused(Operation operation, Refusal refusal) {
          told.add("refused " + refusal.reason());
        }
      };
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/orders")
    String order(@RequestBody String order) {
      return order;
    }
  }

  @ParameterizedTest(name = "same transaction: {0}")
  @ValueSource(strings = {"false", "true"})
  void a_request_that_is_refused_because_the_database_is_down_is_counted(String sameTransaction) {
    told.clear();
    PostgresServer server = PostgresServer.start();
    try (server;
        ConfigurableApplicationContext context =
            Application.of(Beans.class, Shop.class)
                .with(Application.Part.DATABASE)
                .with("once.store.url", null)
                .with("once.store.migrate", "true")
                .with("once.same-transaction", sameTransaction)
                .with("spring.datasource.hikari.connection-timeout", "2000")
                .with("spring.datasource.url", PostgresServer.jdbcUrl(server.newDatabase()))
                .start()) {
      Client client = new Client(context);
      assertThat(client.post("/orders", "k-1", "{}").status()).isEqualTo(200);
      server.kill();
      assertThat(client.post("/orders", "k-2", "{}").status()).isEqualTo(503);
      double errors =
          context
              .getBean(MeterRegistry.class)
              .get("idempotency.errors")
              .meter()
              .measure()
              .iterator()
              .next()
              .getValue();
      assertThat(told).containsExactly("refused STORE_DOWN");
      assertThat(errors).isEqualTo(1);
    }
  }
}
