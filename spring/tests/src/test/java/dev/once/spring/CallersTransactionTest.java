package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Bean methods under a lease and transactions: nothing is recorded that did not commit. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class CallersTransactionTest {

  private static String url;
  private static ConfigurableApplicationContext context;
  private static Ledger ledger;

  /** What an answer that comes later waits for. */
  private static volatile CompletableFuture<Void> elsewhere;

  @BeforeAll
  static void start() throws SQLException {
    url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    context = application(Ledger.class).start();
    ledger = context.getBean(Ledger.class);
  }

  private static Application application(Class<?>... beans) {
    return Application.of(beans)
        .withoutWeb()
        .with(Application.Part.DATABASE)
        .with("once.lease", "1h")
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
    @Transactional
    public String joining(String key) {
      return enter();
    }

    @Idempotent(key = "#key")
    public String undeclared(String key) {
      return enter();
    }

    @Idempotent(key = "#key")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String apart(String key) {
      return enter();
    }

    @Idempotent(key = "#key")
    @Transactional
    public CompletableFuture<String> later(String key) {
      String id = enter();
      return elsewhere.thenApply(any -> id);
    }

    private String enter() {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into entry values (?)", id);
      return id;
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static boolean isThere(String id) {
    return context
            .getBean(JdbcTemplate.class)
            .queryForObject("select count(*) from entry where id = ?", Integer.class, id)
        == 1;
  }

  private static String within(boolean commits, Function<Ledger, String> call) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .execute(
            status -> {
              String id = call.apply(ledger);
              if (!commits) {
                status.setRollbackOnly();
              }
              return id;
            });
  }

  private static void assertRefused(Reason reason, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.refusal().reason()).isEqualTo(reason));
  }

  @Test
  void a_result_is_recorded_when_the_callers_transaction_has_committed() {
    String key = newKey();
    String id =
        within(
            true,
            it -> {
              String given = it.joining(key);
              assertRefused(Reason.BUSY, () -> it.joining(key)); // not before
              return given;
            });
    assertThat(ledger.joining(key)).isEqualTo(id);
    assertThat(isThere(id)).isTrue();
    String other = newKey();
    assertThat(ledger.undeclared(other)).isEqualTo(ledger.undeclared(other));
    String third = newKey();
    assertThat(within(true, it -> it.undeclared(third))).isEqualTo(ledger.undeclared(third));
  }

  @Test
  void what_rolled_back_with_the_caller_runs_again() {
    String key = newKey();
    String undone = within(false, it -> it.joining(key));
    String id = ledger.joining(key);
    assertThat(isThere(undone)).isFalse();
    assertThat(id).isNotEqualTo(undone);
    assertThat(isThere(id)).isTrue();
  }

  @Test
  void what_may_have_acted_outside_of_the_callers_transaction_is_left_to_the_crash_policy() {
    String key = newKey();
    within(false, it -> it.undeclared(key));
    assertRefused(Reason.BUSY, () -> ledger.undeclared(key)); // until its lease is over
  }

  @Test
  void a_method_with_a_transaction_of_its_own_does_not_depend_on_the_callers() {
    String key = newKey();
    String id = within(false, it -> it.apart(key));
    assertThat(ledger.apart(key)).isEqualTo(id);
    assertThat(isThere(id)).isTrue();
  }

  @Test
  void what_was_undone_with_a_nested_transaction_runs_again_though_the_outer_one_commits() {
    String key = newKey();
    String lasting = newKey();
    String undone =
        within(
            true,
            it -> {
              it.joining(lasting);
              return nestedAndUndone(() -> it.joining(key));
            });
    assertThat(isThere(undone)).isFalse();
    String id = ledger.joining(key);
    assertThat(id).isNotEqualTo(undone);
    assertThat(isThere(id)).isTrue();
    assertThat(isThere(ledger.joining(lasting))).isTrue(); // a savepoint that came after it
  }

  private static String nestedAndUndone(Supplier<String> call) {
    TransactionTemplate nested =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    return nested.execute(
        status -> {
          String given = call.get();
          status.setRollbackOnly();
          return given;
        });
  }

  @Test
  void a_result_by_a_stage_is_recorded_when_the_callers_transaction_has_committed() {
    elsewhere = CompletableFuture.completedFuture(null);
    String key = newKey();
    String id =
        within(
            true,
            it -> {
              String given = it.later(key).join();
              assertRefused(Reason.BUSY, () -> it.later(key)); // not before
              return given;
            });
    assertThat(ledger.later(key).join()).isEqualTo(id);
    assertThat(isThere(id)).isTrue();
  }

  @Test
  void a_result_by_a_stage_that_comes_after_the_callers_commit_is_recorded_when_it_comes() {
    elsewhere = new CompletableFuture<>();
    String key = newKey();
    AtomicReference<CompletableFuture<String>> stage = new AtomicReference<>();
    within(
        true,
        it -> {
          stage.set(it.later(key));
          return "";
        });
    assertRefused(Reason.BUSY, () -> ledger.later(key)); // not before
    elsewhere.complete(null);
    String id = stage.get().join();
    assertThat(ledger.later(key).join()).isEqualTo(id);
    assertThat(isThere(id)).isTrue();
  }

  @Test
  void what_answered_by_a_stage_and_rolled_back_with_the_caller_runs_again() {
    elsewhere = CompletableFuture.completedFuture(null);
    String key = newKey();
    String undone = within(false, it -> it.later(key).join());
    String id = ledger.later(key).join();
    assertThat(isThere(undone)).isFalse();
    assertThat(isThere(id)).isTrue();
  }

  @Test
  void what_went_on_elsewhere_when_the_caller_rolled_back_is_left_to_the_crash_policy() {
    elsewhere = new CompletableFuture<>();
    String key = newKey();
    within(
        false,
        it -> {
          it.later(key);
          return "";
        });
    elsewhere.complete(null);
    assertRefused(Reason.BUSY, () -> ledger.later(key)); // until its lease is over
  }

  @Configuration
  static class TwoManagers {
    @Bean
    @Primary
    PlatformTransactionManager callers(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    PlatformTransactionManager others() {
      return new DataSourceTransactionManager(OTHERS);
    }
  }

  /** The same database, but connections and transactions of its own. */
  private static final DriverManagerDataSource OTHERS = new DriverManagerDataSource();

  @Service
  static class Cashier {
    @Idempotent(key = "#key")
    @Transactional("others")
    public String pay(String key) {
      String id = UUID.randomUUID().toString();
      new JdbcTemplate(OTHERS).update("insert into entry values (?)", id);
      return id;
    }
  }

  /** As Spring allows since 6.2. */
  @Service
  @Qualifier("others")
  static class QualifiedCashier extends Cashier {
    @Override
    @Idempotent(key = "#key")
    @Transactional
    public String pay(String key) {
      return super.pay(key);
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Cashier.class, QualifiedCashier.class})
  void a_method_whose_transaction_is_another_managers_does_not_depend_on_the_callers(
      Class<?> type) {
    OTHERS.setUrl(PostgresServer.jdbcUrl(url));
    try (ConfigurableApplicationContext two = application(TwoManagers.class, type).start()) {
      Cashier cashier = two.getBean(Cashier.class);
      String key = newKey();
      String id =
          new TransactionTemplate(two.getBean(PlatformTransactionManager.class))
              .execute(
                  status -> {
                    status.setRollbackOnly();
                    return cashier.pay(key);
                  });
      assertThat(isThere(id)).isTrue(); // it has committed, whatever its caller did
      assertThat(cashier.pay(key)).isEqualTo(id);
    }
  }

  @Configuration
  @EnableTransactionManagement(order = 0)
  static class TransactionsFirst {}

  @Test
  void transactions_that_would_commit_after_the_record_stop_the_start(CapturedOutput output) {
    assertThatThrownBy(() -> application(TransactionsFirst.class, Ledger.class).start().close())
        .isNotNull();
    assertThat(output.getAll().replaceAll("\\s+", " "))
        .contains("APPLICATION FAILED TO START")
        .contains("its @Transactional has order 0 and so comes first")
        .contains("Remove order from @EnableTransactionManagement");
  }

  @Service
  static class NotTransactional {
    @Idempotent(key = "#key")
    public String run(String key) {
      return key;
    }
  }

  @Test
  void their_order_does_not_matter_to_methods_that_have_none() {
    application(TransactionsFirst.class, NotTransactional.class).start().close();
  }
}
