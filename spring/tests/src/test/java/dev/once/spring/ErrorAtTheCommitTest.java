package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.testing.servers.PostgresServer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Same transaction: an {@code Error} of something that is called by the commit, or after it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ErrorAtTheCommitTest {

  private static ConfigurableApplicationContext context;
  private static Client client;
  private static Heard heard;
  private static JdbcTemplate jdbc;

  @Component
  static class Heard implements OnceListener {
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void begun(Execution execution) {
      told.add("begun");
    }

    @Override
    public void ended(Execution execution, Result result) {
      told.add(
          result instanceof Result.Executed executed && executed.recorded() ? "recorded" : "ended");
    }

    @Override
    public void released(Execution execution) {
      told.add("released");
    }
  }

  private static void fail(boolean afterCommit) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void beforeCommit(boolean readOnly) {
            if (!afterCommit) {
              throw new AssertionError("at the commit");
            }
          }

          @Override
          public void afterCommit() {
            throw new AssertionError("after the commit");
          }
        });
  }

  @Service
  static class Ledger {
    @Transactional
    @Idempotent(key = "#key", sameTransaction = true)
    public String enter(String key) {
      fail(true);
      return "entered";
    }
  }

  @RestController
  static class Shop {
    private final JdbcTemplate jdbc;

    Shop(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    private void enter(boolean afterCommit) {
      jdbc.update("insert into entry values ('x')");
      fail(afterCommit);
    }

    @PostMapping("/at")
    @Idempotent(sameTransaction = true)
    String at() {
      enter(false);
      return "ok";
    }

    @PostMapping("/rejected")
    @Idempotent(sameTransaction = true)
    void rejected(HttpServletResponse response) throws IOException {
      enter(false);
      response.sendError(404);
    }

    @PostMapping("/after")
    @Idempotent(sameTransaction = true)
    String after() {
      enter(true);
      return "ok";
    }
  }

  @BeforeAll
  static void start() throws Exception {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    context =
        Application.of(Heard.class, Ledger.class, Shop.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    client = new Client(context);
    heard = context.getBean(Heard.class);
    jdbc = context.getBean(JdbcTemplate.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    heard.told.clear();
    jdbc.update("delete from entry");
  }

  private static int entries() {
    Integer count = jdbc.queryForObject("select count(*) from entry", Integer.class);
    return count == null ? 0 : count;
  }

  @Test
  void at_the_commit_all_is_undone_and_the_key_is_free() {
    assertThat(client.post("/at", "key-at", "{}").status()).isEqualTo(500);
    assertThat(entries()).isZero();
    assertThat(heard.told).containsExactly("begun", "released");
  }

  @Test
  void at_the_commit_of_a_rejection_it_is_sent_and_not_recorded() {
    assertThat(client.post("/rejected", "key-rejected", "{}").status()).isEqualTo(404);
    assertThat(entries()).isZero();
    assertThat(heard.told).containsExactly("begun", "ended");
  }

  @Test
  void after_the_commit_nothing_is_undone() {
    assertThat(client.post("/after", "key-after", "{}").status()).isEqualTo(200);
    assertThat(client.post("/after", "key-after", "{}").isReplay()).isTrue();
    assertThat(entries()).isOne();
    assertThat(heard.told).containsExactly("begun", "recorded");
  }

  @Test
  void after_the_commit_of_a_bean_method_nothing_is_undone() {
    assertThat(context.getBean(Ledger.class).enter("key")).isEqualTo("entered");
    assertThat(heard.told).containsExactly("begun", "recorded");
  }
}
