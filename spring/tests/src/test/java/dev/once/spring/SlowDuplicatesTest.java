package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.spring.Client.Reply;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** More duplicates of a slow request than the pool has connections do not keep them from others. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SlowDuplicatesTest {

  private static final int CONNECTIONS = 10;
  private static final int DUPLICATES = 12;

  private static final Semaphore ENTERED = new Semaphore(0);
  private static final Semaphore GATE = new Semaphore(0);

  private static String url;
  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    url = PostgresServer.shared().newDatabase();
    context =
        Application.of(Shop.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .with("spring.datasource.hikari.maximum-pool-size", CONNECTIONS)
            .with("spring.datasource.hikari.connection-timeout", 60_000)
            .start();
    client = new Client(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @RestController
  public static class Shop {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate apart;

    Shop(JdbcTemplate jdbc, PlatformTransactionManager manager) {
      this.jdbc = jdbc;
      apart = new TransactionTemplate(manager);
      apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    @PostMapping("/slow")
    @Idempotent(sameTransaction = true)
    @Transactional
    public String slow() throws InterruptedException {
      ENTERED.release();
      GATE.acquire();
      return UUID.randomUUID().toString();
    }

    /** Needs a second connection, while duplicates wait for it on theirs. */
    @PostMapping("/nested")
    @Idempotent(sameTransaction = true)
    @Transactional
    public String nested() throws InterruptedException {
      slow();
      return apart.execute(status -> read());
    }

    @GetMapping("/unrelated")
    public String read() {
      return jdbc.queryForObject("select 'read'", String.class);
    }
  }

  private static CompletableFuture<Reply> send(String path, String key) {
    return client.sendLater("POST", path, "{}", "Idempotency-Key", key);
  }

  /** The first one is in its handler, and its duplicates have had all other connections. */
  private static List<CompletableFuture<Reply>> sendDuplicates(String path, String key)
      throws Exception {
    List<CompletableFuture<Reply>> duplicates = new ArrayList<>();
    assertThat(ENTERED.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < DUPLICATES; i++) {
      duplicates.add(send(path, key));
    }
    try (Connection connection = PostgresServer.connect(url)) {
      while (blocked(connection) + done(duplicates) < CONNECTIONS - 1) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
    return duplicates;
  }

  private static long done(List<CompletableFuture<Reply>> replies) {
    return replies.stream().filter(CompletableFuture::isDone).count();
  }

  private static int blocked(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select count(*) from pg_stat_activity where datname = current_database() and"
                    + " wait_event_type = 'Lock'")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void assertBusy(List<CompletableFuture<Reply>> duplicates) {
    assertThat(duplicates)
        .allSatisfy(
            it -> {
              assertThat(it.join().status()).isEqualTo(409);
              assertThat(it.join().header("Retry-After")).isPresent();
            });
  }

  @Test
  void an_unrelated_request_is_served_while_the_slow_one_runs_and_its_duplicates_are_busy()
      throws Exception {
    String key = UUID.randomUUID().toString();
    CompletableFuture<Reply> first = send("/slow", key);
    try {
      List<CompletableFuture<Reply>> duplicates = sendDuplicates("/slow", key);
      Reply unrelated = client.send("GET", "/unrelated", "");
      assertThat(unrelated.status()).as(unrelated.body()).isEqualTo(200);
      assertBusy(duplicates);
      assertThat(first).isNotDone();
    } finally {
      GATE.release();
    }
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(send("/slow", key).join().isReplay()).isTrue();
  }

  @Test
  void a_transaction_of_its_own_within_the_slow_one_gets_a_connection() throws Exception {
    String key = UUID.randomUUID().toString();
    CompletableFuture<Reply> first = send("/nested", key);
    List<CompletableFuture<Reply>> duplicates;
    try {
      duplicates = sendDuplicates("/nested", key);
    } finally {
      GATE.release();
    }
    assertThat(first.join().status()).as(first.join().body()).isEqualTo(200);
    assertThat(duplicates)
        .allSatisfy(
            it ->
                assertThat(it.join().status() == 409 || it.join().isReplay())
                    .as(it.join().body())
                    .isTrue());
    assertThat(send("/nested", key).join().isReplay()).isTrue();
  }
}
