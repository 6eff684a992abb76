package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Store;
import dev.once.testing.servers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The application's pool, however small it is, and the store do not starve each other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class PoolsTest {

  private static final int CALLERS = 20;
  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  private static Application with(int connections) {
    return on(connections, Application.of().withoutWeb());
  }

  private static Application on(int connections, Application application) {
    return application
        .with("once.store.url", null)
        .with(Application.Part.DATABASE)
        .with(
            "spring.datasource.url", PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase()))
        .with("spring.datasource.hikari.maximum-pool-size", connections)
        .with("spring.datasource.hikari.connection-timeout", 15_000)
        .with("once.store.migrate", "true");
  }

  private static Operation pay(int number) {
    return Operation.of(
        Scope.GLOBAL, Key.of("key " + number), Fingerprint.of("pay"), Policy.DEFAULT);
  }

  /** Callers in transactions of their own, each of which has a connection meanwhile. */
  private static List<Result> inTransactions(ConfigurableApplicationContext context)
      throws Exception {
    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
    Once once = context.getBean(Once.class);
    TransactionTemplate transactions =
        new TransactionTemplate(new JdbcTransactionManager(jdbc.getDataSource()));
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Callable<Result>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int number = i;
        calls.add(
            () ->
                transactions.execute(
                    status -> {
                      jdbc.queryForObject("SELECT 1", Integer.class);
                      return run(once, pay(number));
                    }));
      }
      List<Result> results = new ArrayList<>();
      for (Future<Result> result : threads.invokeAll(calls)) {
        results.add(result.get());
      }
      return results;
    } finally {
      threads.shutdown();
    }
  }

  private static Result run(Once once, Operation operation) {
    try {
      return once.run(operation, execution -> PAID);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertServesAll(Application application) throws Exception {
    try (ConfigurableApplicationContext context = application.start()) {
      assertThat(inTransactions(context)).containsOnly(new Result.Executed(PAID, true));
      context.getBean(Store.class).purgeExpired(10).toCompletableFuture().join();
      assertThat(inTransactions(context)).containsOnly(new Result.Replayed(PAID));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10})
  void callers_that_hold_every_connection_of_the_application_get_their_answers(int connections)
      throws Exception {
    assertServesAll(with(connections));
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 10})
  void a_store_that_shares_the_pool_fits_into_it(int connections, CapturedOutput output)
      throws Exception {
    assertServesAll(with(connections).with("once.store.pool", "shared"));
    assertThat(output).contains("shares the application's pool");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void a_pool_that_is_too_small_to_be_shared_stops_the_start_with_the_numbers(
      int connections, CapturedOutput output) {
    assertThatThrownBy(with(connections).with("once.store.pool", "shared")::start).isNotNull();
    assertThat(output)
        .contains("pool: " + connections + " connections (expected: at least 3")
        .contains("once.store.pool");
  }

  @Test
  void the_log_says_that_the_store_has_connections_of_its_own(CapturedOutput output) {
    with(2).start().close();
    assertThat(output).contains("The store has a pool of its own, of up to 6 connections");
  }

  /** Requests whose handlers have all connections of the pool when they call an idempotent bean. */
  @RestController
  static class Till {
    private final Ledger ledger;
    private final HikariPoolMXBean pool;
    private final CountDownLatch exhausted = new CountDownLatch(1);

    Till(Ledger ledger, HikariDataSource dataSource) throws Exception {
      dataSource.getConnection().close(); // there is a pool from now on
      this.ledger = ledger;
      pool = dataSource.getHikariPoolMXBean();
    }

    @PostMapping("/entries")
    @Transactional
    public String enter(@RequestParam String key) throws InterruptedException {
      while (exhausted.getCount() > 0) {
        if (pool.getThreadsAwaitingConnection() > 0) {
          exhausted.countDown();
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      return ledger.enter(key);
    }
  }

  @Service
  static class Ledger {
    @Idempotent(key = "#key")
    @Transactional
    public String enter(String key) {
      return key;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"own", "shared"})
  void of_twenty_bean_methods_called_in_transactions_on_ten_connections_none_is_refused(
      String pool) {
    Application application =
        on(10, Application.of(Till.class, Ledger.class)).with("once.store.pool", pool);
    try (ConfigurableApplicationContext context = application.start()) {
      Client client = new Client(context);
      List<CompletableFuture<Client.Reply>> replies =
          IntStream.range(0, CALLERS)
              .mapToObj(i -> client.sendLater("POST", "/entries?key=" + i, ""))
              .toList();
      assertThat(replies).extracting(it -> it.join().status()).containsOnly(200);
    }
  }
}
