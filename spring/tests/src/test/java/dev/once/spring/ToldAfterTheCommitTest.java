package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.testing.servers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** What becomes of an operation is known when its transaction has ended, and not before. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ToldAfterTheCommitTest {

  @Component
  static class Heard implements OnceListener {
    final List<String> ends = new ArrayList<>();

    @Override
    public void ended(Execution execution, Result result) {
      ends.add(((Result.Executed) result).recorded() ? "recorded" : "not recorded");
    }

    @Override
    public void released(Execution execution) {
      ends.add("released");
    }
  }

  @Component
  static class Ledger {
    @Transactional
    @Idempotent(key = "#key", sameTransaction = true)
    public int book(String key) {
      return 1;
    }
  }

  @Test
  void a_method_whose_callers_transaction_rolls_back_is_not_told_as_recorded() {
    String url = PostgresServer.shared().newDatabase();
    try (ConfigurableApplicationContext context =
        Application.of(Ledger.class, Heard.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start()) {
      new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
          .executeWithoutResult(
              status -> {
                context.getBean(Ledger.class).book("key");
                status.setRollbackOnly();
              });
      Integer keys =
          context
              .getBean(JdbcTemplate.class)
              .queryForObject("select count(*) from idempotency_keys", Integer.class);
      assertThat(keys).isZero();
      assertThat(context.getBean(Heard.class).ends).containsExactly("released");
    }
  }
}
