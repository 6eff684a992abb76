package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Execution;
import dev.once.core.RefusedException;
import dev.once.spring.Client.Reply;
import dev.once.testing.servers.PostgresServer;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Keys that commit together with what is written, on PostgreSQL: by JDBC and by JPA, for requests
 * and for methods. The application's transactions are JPA's.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SameTransactionTest {

  private static ConfigurableApplicationContext context;
  private static Client client;
  private static JdbcTemplate jdbc;
  private static Ledger ledger;
  private static String url;

  @BeforeAll
  static void start() throws SQLException {
    url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      // The constraint is looked at when the transaction commits.
      statement.execute(
          """
          create table account (name text primary key);
          create table entry (
            id text primary key,
            account text not null references account(name) deferrable initially deferred,
            amount int not null);
          insert into account values ('ann');
          """);
    }
    context =
        Application.of(Ledger.class, Accounts.class)
            .with(Application.Part.DATABASE)
            .with(Application.Part.JPA)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("once.lease", "1h")
            .with("once.routes[0].match", "POST /released")
            .with("once.routes[0].on-rejection", "release")
            .with("once.same-transaction-wait", "30s")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .with("spring.jpa.hibernate.ddl-auto", "none")
            .start();
    client = new Client(context);
    jdbc = context.getBean(JdbcTemplate.class);
    ledger = context.getBean(Ledger.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Entity
  @Table(name = "entry")
  static class Entry {
    @Id String id;
    String account;
    int amount;

    static Entry of(String account, int amount) {
      Entry entry = new Entry();
      entry.id = UUID.randomUUID().toString();
      entry.account = account;
      entry.amount = amount;
      return entry;
    }
  }

  static class DeclinedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Service
  static class Ledger {
    @PersistenceContext EntityManager entities;
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional
    public String byJpa(String account, int amount) {
      Entry entry = Entry.of(account, amount);
      entities.persist(entry);
      return entry.id;
    }

    @Transactional
    public String byJdbc(String account, int amount) {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into entry values (?, ?, ?)", id, account, amount);
      return id;
    }

    @Transactional
    public void refuse(String account) {
      byJdbc(account, 1);
      throw new DeclinedException();
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional
    public String once(String key, String account, int amount) {
      return byJpa(account, amount);
    }

    @Idempotent(key = "#key", sameTransaction = true)
    public String onceByJdbc(String key, String account, int amount) {
      assertThat(CurrentExecution.get().orElseThrow().attempt()).isEqualTo(1);
      return byJdbc(account, amount);
    }

    @Idempotent(key = "#key", sameTransaction = true)
    public String onceFailing(String key, boolean failing) throws Exception {
      String id = byJdbc("ann", 1);
      if (failing) {
        throw new Exception("checked");
      }
      return id;
    }
  }

  @RestController
  static class Accounts {
    private final Ledger ledger;
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final JdbcTemplate jdbc;
    private final MeterRegistry registry;
    private volatile double running;

    Accounts(Ledger ledger, JdbcTemplate jdbc, MeterRegistry registry) {
      this.ledger = ledger;
      this.jdbc = jdbc;
      this.registry = registry;
    }

    @PostMapping("/jpa")
    @Idempotent(sameTransaction = true)
    Map<String, Object> jpa(@RequestParam String account, Execution execution) {
      return Map.of("id", ledger.byJpa(account, 1), "attempt", execution.attempt());
    }

    @PostMapping("/jdbc")
    @Idempotent(sameTransaction = true)
    Map<String, Object> jdbc(@RequestParam String account) {
      return Map.of("id", ledger.byJdbc(account, 1));
    }

    @PostMapping("/refused")
    @Idempotent(sameTransaction = true)
    void refused(@RequestParam String account) {
      ledger.refuse(account);
    }

    @PostMapping("/rejected")
    @Idempotent(sameTransaction = true)
    ResponseEntity<String> rejected() {
      return ResponseEntity.badRequest().body(ledger.byJdbc("ann", 1));
    }

    @PostMapping("/released")
    @Idempotent(sameTransaction = true)
    ResponseEntity<String> released() {
      return ResponseEntity.badRequest().body(ledger.byJdbc("ann", 1).substring(0, 0));
    }

    @PostMapping("/told")
    @Idempotent(sameTransaction = true)
    String told() {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCommit() {
              throw new IllegalStateException("the broker is down");
            }
          });
      return ledger.byJdbc("ann", 1);
    }

    @PostMapping("/uncaught")
    @Idempotent(sameTransaction = true)
    String uncaught() {
      ledger.byJdbc("ann", 1);
      throw new IllegalStateException("after the write");
    }

    @PostMapping("/swallowed")
    @Idempotent(sameTransaction = true)
    String swallowed() {
      try {
        ledger.refuse("ann");
      } catch (DeclinedException e) {
        return "all is well";
      }
      return "";
    }

    /** Nothing marks the transaction: PostgreSQL just takes no more statements in it. */
    @PostMapping("/duplicate")
    @Idempotent(sameTransaction = true)
    ResponseEntity<String> duplicate(@RequestParam int status) {
      try {
        jdbc.update("insert into account values ('ann')");
      } catch (DuplicateKeyException e) {
        return ResponseEntity.status(status).body("there is an ann");
      }
      return ResponseEntity.ok("");
    }

    @PostMapping("/thrown")
    @Idempotent(sameTransaction = true)
    void thrown() {
      jdbc.update("insert into account values ('ann')");
    }

    @PostMapping("/rejected-and-broken")
    @Idempotent(sameTransaction = true)
    ResponseEntity<String> rejectedAndBroken() {
      return ResponseEntity.badRequest().body(ledger.byJdbc("nobody", 1).substring(0, 0));
    }

    @PostMapping("/lost")
    @Idempotent(sameTransaction = true)
    String lost() throws SQLException {
      int own = jdbc.queryForObject("select pg_backend_pid()", Integer.class);
      try (Connection other = PostgresServer.connect(url);
          Statement statement = other.createStatement()) {
        statement.execute("select pg_terminate_backend(" + own + ", 30000)");
      }
      return "";
    }

    @ExceptionHandler(DuplicateKeyException.class)
    @ResponseStatus(HttpStatus.CONFLICT)
    Map<String, Object> duplicateKey() {
      return Map.of("error", "there is one");
    }

    @PostMapping("/running")
    @Idempotent(sameTransaction = true)
    void running() {
      running = registry.get("idempotency.processing.gauge").gauge().value();
    }

    @PostMapping("/slow")
    @Idempotent(sameTransaction = true)
    String slow() throws InterruptedException {
      String id = ledger.byJdbc("ann", 1);
      entered.countDown();
      assertThat(gate.await(300, TimeUnit.SECONDS)).isTrue();
      return id;
    }

    @PostMapping("/later")
    @Idempotent(sameTransaction = true)
    Object later() { // its type does not say so, or it would stop the start
      Callable<String> later = () -> ledger.byJdbc("ann", 1);
      return later;
    }

    @ExceptionHandler(DeclinedException.class)
    @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
    Map<String, Object> refused() {
      return Map.of("error", "refused");
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static int entries() {
    return jdbc.queryForObject("select count(*) from entry", Integer.class);
  }

  private static int keys() {
    return jdbc.queryForObject("select count(*) from idempotency_keys", Integer.class);
  }

  private static void assertOnce(String path) {
    int entries = entries();
    String key = newKey();
    Reply first = client.post(path, key, "{}");
    Reply second = client.post(path, key, "{}");
    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(first.isReplay()).isFalse();
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(entries()).isEqualTo(entries + 1);
  }

  /** Neither the write nor the key is there. */
  private static void assertNothingLeft(String path, int status) {
    int entries = entries();
    int keys = keys();
    String key = newKey();
    for (int i = 0; i < 2; i++) {
      Reply reply = client.post(path, key, "{}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(status);
      assertThat(reply.isReplay()).isFalse();
      assertThat(entries()).isEqualTo(entries);
      assertThat(keys()).isEqualTo(keys);
    }
  }

  // Requests.

  @Test
  void a_request_and_its_write_by_jpa_commit_together() {
    assertOnce("/jpa?account=ann");
  }

  @Test
  void a_request_and_its_write_by_jdbc_commit_together() {
    assertOnce("/jdbc?account=ann");
  }

  @Test
  void a_constraint_that_the_commit_breaks_is_the_applications_failure_and_leaves_nothing() {
    assertNothingLeft("/jdbc?account=nobody", 500);
    assertNothingLeft("/jpa?account=nobody", 500);
  }

  @Test
  void a_request_that_an_exception_handler_refused_leaves_nothing() {
    assertNothingLeft("/refused?account=ann", 402);
  }

  @Test
  void a_request_that_fails_leaves_nothing() {
    assertNothingLeft("/uncaught", 500);
  }

  @Test
  void a_success_of_what_was_rolled_back_within_is_an_error() {
    assertNothingLeft("/swallowed", 500);
    assertNothingLeft("/duplicate?status=200", 500);
  }

  @Test
  void a_rejection_that_the_application_makes_of_a_broken_constraint_is_sent_and_not_recorded() {
    assertNothingLeft("/duplicate?status=409", 409);
    assertNothingLeft("/thrown", 409);
    assertNothingLeft("/rejected-and-broken", 400);
  }

  @Test
  void a_connection_that_is_lost_before_the_commit_is_told_as_try_again() {
    assertNothingLeft("/lost", 503);
  }

  @Test
  void a_handler_that_answers_later_is_an_error_and_leaves_nothing() {
    assertNothingLeft("/later", 500);
  }

  @Test
  void a_rejection_that_the_policy_releases_leaves_nothing_that_a_retry_would_do_again() {
    assertNothingLeft("/released", 400);
  }

  @Test
  void what_fails_after_the_commit_does_not_make_it_a_failure() {
    assertOnce("/told");
  }

  @Test
  void a_rejection_that_commits_is_recorded() {
    int entries = entries();
    String key = newKey();
    Reply first = client.post("/rejected", key, "{}");
    Reply second = client.post("/rejected", key, "{}");
    assertThat(first.status()).isEqualTo(400);
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(entries()).isEqualTo(entries + 1);
  }

  @Test
  void a_duplicate_waits_for_the_first_to_commit_and_gets_its_answer() throws Exception {
    Accounts accounts = context.getBean(Accounts.class);
    String key = newKey();
    int entries = entries();
    CompletableFuture<Reply> first =
        client.sendLater("POST", "/slow", "{}", "Idempotency-Key", key);
    assertThat(accounts.entered.await(300, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Reply> second =
        client.sendLater("POST", "/slow", "{}", "Idempotency-Key", key);
    while (blocked() == 0) {
      assertThat(second).isNotDone();
      Thread.onSpinWait();
    }
    accounts.gate.countDown();
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(second.join().isReplay()).isTrue();
    assertThat(second.join().body()).isEqualTo(first.join().body());
    assertThat(entries()).isEqualTo(entries + 1);
  }

  private static int blocked() {
    return jdbc.queryForObject(
        "select count(*) from pg_stat_activity where datname = current_database() and"
            + " wait_event_type = 'Lock'",
        Integer.class);
  }

  @Test
  void requests_in_transactions_are_counted_and_the_number_of_those_that_run_is_right() {
    MeterRegistry registry = context.getBean(MeterRegistry.class);
    double misses = registry.get("idempotency.misses").functionCounter().count();
    double hits = registry.get("idempotency.hits").functionCounter().count();
    assertOnce("/jdbc?account=ann");
    assertThat(registry.get("idempotency.misses").functionCounter().count()).isEqualTo(misses + 1);
    assertThat(registry.get("idempotency.hits").functionCounter().count()).isEqualTo(hits + 1);
    client.post("/running", newKey(), "{}");
    assertThat(context.getBean(Accounts.class).running).isEqualTo(1);
  }

  // Methods.

  @Test
  void a_method_and_its_write_commit_together() {
    int entries = entries();
    String key = newKey();
    String first = ledger.once(key, "ann", 1);
    assertThat(ledger.once(key, "ann", 1)).isEqualTo(first);
    assertThat(entries()).isEqualTo(entries + 1);
    assertThatThrownBy(() -> ledger.once(key, "ann", 2)).isInstanceOf(RefusedException.class);
    String other = newKey();
    assertThat(ledger.onceByJdbc(other, "ann", 1)).isEqualTo(ledger.onceByJdbc(other, "ann", 1));
    assertThat(entries()).isEqualTo(entries + 2);
  }

  @Test
  void a_method_whose_commit_fails_throws_and_leaves_nothing() {
    int entries = entries();
    int keys = keys();
    String key = newKey();
    assertThatThrownBy(() -> ledger.once(key, "nobody", 1)).isNotNull();
    assertThatThrownBy(() -> ledger.onceByJdbc(key, "nobody", 1)).isNotNull();
    assertThat(entries()).isEqualTo(entries);
    assertThat(keys()).isEqualTo(keys);
    assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
  }

  @Test
  void a_method_that_throws_a_checked_exception_leaves_nothing_and_a_retry_runs() throws Exception {
    int entries = entries();
    int keys = keys();
    String key = newKey();
    assertThatThrownBy(() -> ledger.onceFailing(key, true)).hasMessage("checked");
    assertThat(entries()).isEqualTo(entries);
    assertThat(keys()).isEqualTo(keys);
    assertThat(ledger.onceFailing(newKey(), false)).isNotEmpty();
    assertThat(entries()).isEqualTo(entries + 1);
  }

  @Test
  void a_method_takes_part_in_its_callers_transaction() {
    int entries = entries();
    int keys = keys();
    String key = newKey();
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    transaction.executeWithoutResult(
        status -> {
          ledger.once(key, "ann", 1);
          status.setRollbackOnly();
        });
    assertThat(entries()).isEqualTo(entries);
    assertThat(keys()).isEqualTo(keys);
    transaction.executeWithoutResult(status -> ledger.once(key, "ann", 1));
    assertThat(entries()).isEqualTo(entries + 1);
    assertThat(keys()).isEqualTo(keys + 1);
  }
}
