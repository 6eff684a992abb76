package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Refusal.Reason;
import dev.once.core.RefusedException;
import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.PostgresServer;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Bean methods under a lease in their caller's transaction: a key is free after what surely was not
 * committed, and after nothing else. Of a commit whose reply is lost, Spring says with JPA that it
 * was rolled back.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class UnknownCommitTest {

  private static String url;
  private static FaultProxy proxy;
  private static ConfigurableApplicationContext context;

  @BeforeAll
  static void start() throws SQLException {
    url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table entry (id text unique deferrable initially deferred);"
              + "create table unique_name (name text primary key)");
    }
    proxy = FaultProxy.to(url);
    context =
        Application.of(Managers.class, ByJpa.class, ByJdbc.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with(Application.Part.JPA)
            .with("once.lease", "1h")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(proxy.url(url)))
            .with("spring.jpa.hibernate.ddl-auto", "none")
            .start();
  }

  @AfterAll
  static void stop() {
    context.close();
    proxy.close();
  }

  @Configuration
  static class Managers {
    @Bean
    @Primary
    PlatformTransactionManager jpa(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }

    @Bean
    PlatformTransactionManager jdbc(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  @Entity
  @Table(name = "unique_name")
  static class UniqueName {
    @Id String name;

    static UniqueName of(String name) {
      UniqueName unique = new UniqueName();
      unique.name = name;
      return unique;
    }
  }

  interface Ledger {
    String enter(String key);

    void fail();
  }

  @Service("byJpa")
  static class ByJpa implements Ledger {
    @PersistenceContext EntityManager entities;
    private final JdbcTemplate jdbc;

    ByJpa(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    @Idempotent(key = "#key")
    @Transactional
    public String enter(String key) {
      jdbc.update("insert into entry values (?)", key);
      return "entered";
    }

    /** Written by the commit: JPA waits until it has to. */
    @Idempotent(key = "#key")
    @Transactional
    public String name(String key, String name) {
      entities.persist(UniqueName.of(name));
      return "named";
    }

    @Override
    @Transactional
    public void fail() {
      throw new IllegalStateException("failed");
    }
  }

  @Service("byJdbc")
  static class ByJdbc implements Ledger {
    @PersistenceContext EntityManager entities;
    private final JdbcTemplate jdbc;

    ByJdbc(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    @Idempotent(key = "#key")
    @Transactional("jdbc")
    public String enter(String key) {
      jdbc.update("insert into entry values (?)", key);
      return "entered";
    }

    @Idempotent(key = "#key")
    @Transactional("jdbc")
    public boolean isNamed(String key, String name) {
      return entities.find(UniqueName.class, name) != null;
    }

    @Override
    @Transactional("jdbc")
    public void fail() {
      throw new IllegalStateException("failed");
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static Ledger ledger(String manager) {
    return manager.equals("jpa") ? context.getBean(ByJpa.class) : context.getBean(ByJdbc.class);
  }

  private static TransactionTemplate within(String manager) {
    return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
  }

  /** As the server knows it. */
  private static int entries(String key) throws SQLException {
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select count(*) from entry where id = '" + key + "'")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** The last thing before the commit, and the first after it. */
  private record LosesTheReply(FaultProxy proxy) implements TransactionSynchronization, Ordered {
    @Override
    public int getOrder() {
      return LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCompletion() {
      proxy.dropReplies();
    }

    @Override
    public void afterCompletion(int status) {
      proxy.heal();
    }
  }

  private static void enterAndLoseTheReply(TransactionTemplate within, Ledger ledger, String key) {
    int lost = proxy.lostReplies();
    assertThatThrownBy(
            () ->
                within.executeWithoutResult(
                    status -> {
                      ledger.enter(key);
                      TransactionSynchronizationManager.registerSynchronization(
                          new LosesTheReply(proxy));
                    }))
        .isInstanceOf(RuntimeException.class);
    assertThat(proxy.lostReplies()).isGreaterThan(lost);
  }

  private static void assertBusy(Ledger ledger, String key) {
    assertThatThrownBy(() -> ledger.enter(key))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.refusal().reason()).isEqualTo(Reason.BUSY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpa", "jdbc"})
  void after_a_commit_whose_reply_was_lost_a_retry_does_not_run(String manager)
      throws SQLException {
    String key = newKey();
    enterAndLoseTheReply(within(manager), ledger(manager), key);
    assertBusy(ledger(manager), key); // until its lease is over: the crash policy decides then
    assertThat(entries(key)).isOne();
  }

  @Test
  void nor_does_it_if_the_callers_manager_is_no_bean() throws SQLException {
    String key = newKey();
    PlatformTransactionManager callers =
        new JpaTransactionManager(context.getBean(EntityManagerFactory.class));
    enterAndLoseTheReply(new TransactionTemplate(callers), ledger("jpa"), key);
    assertBusy(ledger("jpa"), key);
    assertThat(entries(key)).isOne();
  }

  @Test
  void what_breaks_a_constraint_when_jpa_writes_it_for_the_commit_runs_again() {
    ByJpa ledger = context.getBean(ByJpa.class);
    String key = newKey();
    String taken = newKey();
    ledger.name(newKey(), taken);
    assertThatThrownBy(() -> within("jpa").executeWithoutResult(status -> ledger.name(key, taken)))
        .isInstanceOf(DataIntegrityViolationException.class);
    context.getBean(JdbcTemplate.class).update("delete from unique_name where name = ?", taken);
    assertThat(ledger.name(key, taken)).isEqualTo("named");
  }

  /** Spring does not say by what a commit has failed. */
  @ParameterizedTest
  @ValueSource(strings = {"jpa", "jdbc"})
  void what_breaks_a_constraint_of_the_commit_itself_is_left_to_the_crash_policy(String manager)
      throws SQLException {
    String key = newKey();
    assertThatThrownBy(
            () ->
                within(manager)
                    .executeWithoutResult(
                        status -> {
                          ledger(manager).enter(key);
                          context
                              .getBean(JdbcTemplate.class)
                              .update("insert into entry values (?)", key);
                        }))
        .isInstanceOf(DataIntegrityViolationException.class);
    assertBusy(ledger(manager), key);
    assertThat(entries(key)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpa", "jdbc"})
  void what_was_rolled_back_runs_again(String manager) throws SQLException {
    String key = newKey();
    within(manager)
        .executeWithoutResult(
            status -> {
              ledger(manager).enter(key);
              status.setRollbackOnly();
            });
    assertThat(entries(key)).isZero();
    assertThat(ledger(manager).enter(key)).isEqualTo("entered");
    assertThat(entries(key)).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpa", "jdbc"})
  void what_another_method_has_marked_for_rollback_runs_again(String manager) throws SQLException {
    String key = newKey();
    assertThatThrownBy(
            () ->
                within(manager)
                    .executeWithoutResult(
                        status -> {
                          ledger(manager).enter(key);
                          assertThatThrownBy(() -> ledger(manager).fail()).hasMessage("failed");
                        }))
        .isInstanceOf(UnexpectedRollbackException.class);
    assertThat(entries(key)).isZero();
    assertThat(ledger(manager).enter(key)).isEqualTo("entered");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpa", "jdbc"})
  void what_failed_before_the_commit_was_sent_runs_again(String manager) throws SQLException {
    String key = newKey();
    TransactionSynchronization fails =
        new TransactionSynchronization() {
          @Override
          public void beforeCommit(boolean readOnly) {
            throw new IllegalStateException("before the commit");
          }
        };
    assertThatThrownBy(
            () ->
                within(manager)
                    .executeWithoutResult(
                        status -> {
                          ledger(manager).enter(key);
                          TransactionSynchronizationManager.registerSynchronization(fails);
                        }))
        .hasMessage("before the commit");
    assertThat(entries(key)).isZero();
    assertThat(ledger(manager).enter(key)).isEqualTo("entered");
  }

  @Test
  void what_a_read_only_transaction_leaves_unwritten_stays_so() {
    ByJpa ledger = context.getBean(ByJpa.class);
    String key = newKey();
    String name = newKey();
    TransactionTemplate readOnly = within("jpa");
    readOnly.setReadOnly(true);
    readOnly.executeWithoutResult(status -> ledger.name(key, name));
    assertThat(ledger.name(key, name)).isEqualTo("named"); // replayed: it was committed
    assertThat(context.getBean(ByJdbc.class).isNamed(newKey(), name)).isFalse();
  }

  /** It is closed just before the commit, and would not bear to be asked to write then. */
  @Test
  void entities_that_were_read_in_a_transaction_of_jdbc_do_not_get_in_the_way_of_its_commit() {
    ByJdbc ledger = context.getBean(ByJdbc.class);
    String key = newKey();
    within("jdbc").executeWithoutResult(status -> ledger.isNamed(key, "nobody"));
    assertThat(ledger.isNamed(key, "nobody")).isFalse();
  }
}
