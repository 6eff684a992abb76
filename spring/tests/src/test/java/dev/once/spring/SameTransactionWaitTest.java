package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import dev.once.spring.Client.Reply;
import dev.once.testing.servers.PostgresServer;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** How long a duplicate waits for the transaction that has its key, and what it is told then. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(OutputCaptureExtension.class)
class SameTransactionWaitTest {

  private static final Semaphore ENTERED = new Semaphore(0);
  private static final Semaphore GATE = new Semaphore(0);

  private static ConfigurableApplicationContext context;
  private static Client client;
  private static JdbcTemplate jdbc;

  @BeforeAll
  static void start() {
    String url = PostgresServer.shared().newDatabase();
    context =
        Application.of(Slow.class, Quick.class)
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("once.same-transaction-wait", "60s")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    client = new Client(context);
    jdbc = context.getBean(JdbcTemplate.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @RestController
  public static class Slow {

    @PostMapping("/timed")
    @Idempotent(sameTransaction = true)
    @Transactional(timeout = 5) // seconds; more than a busy machine takes to get here
    public String timed() throws InterruptedException {
      return done();
    }

    @PostMapping("/repeatable")
    @Idempotent(sameTransaction = true)
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    public String repeatable() throws InterruptedException {
      return done();
    }

    @PostMapping("/quick")
    @Idempotent(sameTransaction = true)
    public String quick() {
      return UUID.randomUUID().toString();
    }

    private static String done() throws InterruptedException {
      ENTERED.release();
      assertThat(GATE.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
      return UUID.randomUUID().toString();
    }
  }

  @Service
  public static class Quick {
    @Idempotent(key = "#key", sameTransaction = true)
    public String run(String key) {
      return key;
    }
  }

  private static CompletableFuture<Reply> send(String path, String key) {
    return client.sendLater("POST", path, "{}", "Idempotency-Key", key);
  }

  private static int blocked() {
    return jdbc.queryForObject(
        "select count(*) from pg_stat_activity where datname = current_database() and"
            + " wait_event_type = 'Lock'",
        Integer.class);
  }

  @Test
  void a_duplicate_waits_no_longer_than_its_transaction_may_take_and_is_then_busy()
      throws Exception {
    String key = UUID.randomUUID().toString();
    CompletableFuture<Reply> first = send("/timed", key);
    assertThat(ENTERED.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
    try {
      assertThat(send("/timed", key).get(300, TimeUnit.SECONDS).status()).isEqualTo(409);
    } finally {
      GATE.release();
    }
    first.join();
  }

  @Test
  void a_duplicate_whose_isolation_hides_the_answer_tries_again_and_gets_it() throws Exception {
    String key = UUID.randomUUID().toString();
    CompletableFuture<Reply> first = send("/repeatable", key);
    assertThat(ENTERED.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Reply> second = send("/repeatable", key);
    try {
      while (blocked() == 0) {
        assertThat(second).isNotDone();
        Thread.onSpinWait();
      }
    } finally {
      GATE.release();
    }
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(second.join().isReplay()).as(second.join().body()).isTrue();
    assertThat(second.join().body()).isEqualTo(first.join().body());
  }

  /** Has the database fail claims of the handler's keys, so many times, as if they met others. */
  private static void failClaims(String state, int times) {
    jdbc.execute(
        """
        create or replace function fail_claim() returns trigger language plpgsql as $$
          begin
            if nextval('claims') <= %d then
              raise exception 'met another transaction' using errcode = '%s';
            end if;
            return new;
          end $$;
        drop sequence if exists claims;
        create sequence claims;
        create or replace trigger fail_claim before insert on idempotency_keys
          for each row execute function fail_claim();
        """
            .formatted(times, state));
  }

  private static void failNoMore() {
    jdbc.execute("drop trigger fail_claim on idempotency_keys");
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void a_claim_that_met_another_transaction_is_tried_again(String state) {
    failClaims(state, 2);
    try {
      Reply reply = client.post("/quick", UUID.randomUUID().toString(), "{}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    } finally {
      failNoMore();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01", "55P03", "57014"})
  void a_claim_that_meets_other_transactions_again_and_again_is_busy_and_no_store_is_down(
      String state, CapturedOutput output) {
    String key = UUID.randomUUID().toString();
    failClaims(state, Integer.MAX_VALUE);
    try {
      Reply refused = client.post("/quick", key, "{}");
      assertThat(refused.status()).as(refused.body()).isEqualTo(409);
      assertThat(output).doesNotContain("a request could not be begun");
    } finally {
      failNoMore();
    }
    assertThat(client.post("/quick", key, "{}").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "55P03", "57014"})
  void so_is_one_of_a_bean_method(String state) {
    Quick quick = context.getBean(Quick.class);
    String key = UUID.randomUUID().toString();
    failClaims(state, Integer.MAX_VALUE);
    try {
      assertThatThrownBy(() -> quick.run(key))
          .isInstanceOfSatisfying(
              RefusedException.class,
              it -> assertThat(it.refusal().reason()).isEqualTo(Reason.BUSY));
    } finally {
      failNoMore();
    }
    assertThat(quick.run(key)).isEqualTo(key);
  }
}
