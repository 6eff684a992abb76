package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.spring.Client.Reply;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Same-transaction mode for all, by one property, in an application without JPA. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class JdbcTransactionTest {

  private static String url;
  private static ConfigurableApplicationContext context;
  private static Client client;
  private static JdbcTemplate jdbc;

  @BeforeAll
  static void start() throws SQLException {
    url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create table entry (id text, amount int, unique (amount) deferrable initially deferred);
          insert into entry values ('first', 0);
          """);
    }
    context = application(Ledger.class, Entries.class).start();
    client = new Client(context);
    jdbc = context.getBean(JdbcTemplate.class);
  }

  private static Application application(Class<?>... beans) {
    return Application.of(beans)
        .with(Application.Part.DATABASE)
        .with("once.same-transaction", "true")
        .with("once.store.url", null)
        .with("once.store.migrate", "true")
        .with("spring.datasource.url", PostgresServer.jdbcUrl(url));
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Service
  static class Ledger {
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Idempotent(key = "#key")
    public String enter(String key, int amount) {
      return write(amount);
    }

    String write(int amount) {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into entry values (?, ?)", id, amount);
      return id;
    }
  }

  @RestController
  static class Entries {
    private final Ledger ledger;

    Entries(Ledger ledger) {
      this.ledger = ledger;
    }

    @PostMapping("/entries")
    String enter(@RequestParam int amount) {
      return ledger.enter(UUID.randomUUID().toString(), amount);
    }
  }

  private static int rows(String table) {
    return jdbc.queryForObject("select count(*) from " + table, Integer.class);
  }

  @Test
  void the_transactions_are_those_of_jdbc() {
    assertThat(context.getBean(PlatformTransactionManager.class))
        .isInstanceOf(JdbcTransactionManager.class);
  }

  @Test
  void a_request_commits_with_its_write_and_is_given_again() {
    String key = UUID.randomUUID().toString();
    int entries = rows("entry");
    Reply first = client.post("/entries?amount=1", key, "{}");
    Reply second = client.post("/entries?amount=1", key, "{}");
    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(rows("entry")).isEqualTo(entries + 1);
  }

  @Test
  void a_commit_that_fails_is_no_success_and_leaves_nothing() {
    String key = UUID.randomUUID().toString();
    int entries = rows("entry");
    int keys = rows("idempotency_keys");
    Reply reply = client.post("/entries?amount=0", key, "{}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(500);
    assertThatThrownBy(() -> context.getBean(Ledger.class).enter(key, 0)).isNotNull();
    assertThat(rows("entry")).isEqualTo(entries);
    assertThat(rows("idempotency_keys")).isEqualTo(keys);
  }

  @Test
  void a_request_without_a_key_is_in_no_transaction_of_ours() {
    int keys = rows("idempotency_keys");
    assertThat(client.send("POST", "/entries?amount=7", "{}").status()).isEqualTo(200);
    assertThat(rows("idempotency_keys")).as("the key of the method").isEqualTo(keys + 1);
  }

  static class OfItsOwn {
    @Idempotent(key = "#key")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void run(String key) {}
  }

  @Test
  void a_method_that_wants_a_transaction_of_its_own_stops_the_start(CapturedOutput output) {
    assertThatThrownBy(() -> application(OfItsOwn.class).withoutWeb().start()).isNotNull();
    assertThat(output)
        .contains("JdbcTransactionTest$OfItsOwn.run: its @Transactional has another propagation")
        .contains("Change the propagation to REQUIRED");
  }
}
