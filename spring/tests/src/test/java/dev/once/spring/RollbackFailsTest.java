package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.testing.servers.PostgresServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A duplicate writes nothing: it has its answer, whatever becomes of its transaction. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RollbackFailsTest {

  private static volatile boolean failing;

  @Configuration
  static class Beans {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource) {
        private static final long serialVersionUID = 1;

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
          super.doRollback(status);
          if (failing) {
            throw new TransactionSystemException("no reply to the rollback");
          }
        }
      };
    }
  }

  @Component
  static class Heard implements OnceListener {
    final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void replayed(Operation operation, Answer answer) {
      told.add("replayed");
    }

    @Override
    public void refused(Operation operation, Refusal refusal) {
      told.add("refused " + refusal.reason());
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/orders")
    String order(@RequestBody String order) {
      return order;
    }
  }

  @Test
  void a_duplicate_whose_transaction_cannot_be_rolled_back_has_its_answer_and_is_told_once() {
    failing = false;
    try (ConfigurableApplicationContext context =
        Application.of(Beans.class, Heard.class, Shop.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("once.same-transaction", "true")
            .with(
                "spring.datasource.url",
                PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()))
            .start()) {
      Client client = new Client(context);
      assertThat(client.post("/orders", "k-1", "{}").status()).isEqualTo(200);
      failing = true;
      assertThat(client.post("/orders", "k-1", "{}").status()).isEqualTo(200);
      assertThat(client.post("/orders", "k-1", "{\"other\":1}").status()).isEqualTo(422);
      assertThat(context.getBean(Heard.class).told).containsExactly("replayed", "refused MISMATCH");
    }
  }
}
