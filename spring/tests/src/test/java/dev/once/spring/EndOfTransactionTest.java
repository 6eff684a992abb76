package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.testing.servers.PostgresServer;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of JPA has ended when it has committed: not before, and not for ever. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EndOfTransactionTest {

  private static ConfigurableApplicationContext context;
  private static Ledger ledger;
  private static TransactionTemplate template;

  @BeforeAll
  static void start() throws SQLException {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text); create table note (id text, text text)");
    }
    context =
        Application.of(Ledger.class, Metrics.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with(Application.Part.JPA)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .with("spring.jpa.hibernate.ddl-auto", "none")
            .start();
    ledger = context.getBean(Ledger.class);
    template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @AfterEach
  void reset() {
    Audit.atUpdate = () -> {};
    context.getBean(Metrics.class).fails = false;
  }

  @Entity
  @Table(name = "note")
  @EntityListeners(Audit.class)
  static class Note {
    @Id String id;
    String text;
  }

  /** Hibernate makes one in each application of these tests. */
  public static class Audit {
    static volatile Runnable atUpdate = () -> {};

    @PreUpdate
    public void changed(Note note) {
      atUpdate.run();
    }
  }

  @Component
  static class Metrics implements TransactionExecutionListener {
    volatile boolean fails;

    @Override
    public void afterCommit(TransactionExecution transaction, Throwable failure) {
      if (fails) {
        throw new IllegalStateException("metrics");
      }
    }
  }

  @Service
  static class Ledger {
    @PersistenceContext EntityManager entities;
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Idempotent(key = "#key")
    @Transactional
    public String leased(String key) {
      return enter();
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional
    public String together(String key) {
      return enter();
    }

    @Transactional
    public void add(String note) {
      Note added = new Note();
      added.id = note;
      entities.persist(added);
    }

    @Transactional
    public void change(String note) {
      entities.find(Note.class, note).text = "changed";
    }

    public boolean isThere(String id) {
      return jdbc.queryForObject("select count(*) from entry where id = ?", Integer.class, id) == 1;
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

  static Stream<Arguments> modes() {
    BiFunction<Ledger, String, String> leased = Ledger::leased;
    BiFunction<Ledger, String, String> together = Ledger::together;
    return Stream.of(Arguments.of("leased", leased), Arguments.of("same transaction", together));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("modes")
  void what_is_called_while_a_commit_writes_its_entities_takes_part_in_it(
      String mode, BiFunction<Ledger, String, String> method) {
    String note = newKey();
    ledger.add(note);
    String key = newKey();
    CompletableFuture<String> id = new CompletableFuture<>();
    Audit.atUpdate = () -> id.complete(method.apply(ledger, key));
    ledger.change(note);
    assertThat(id).isDone();
    assertThat(ledger.isThere(id.join())).isTrue();
    assertThat(method.apply(ledger, key)).isEqualTo(id.join());
  }

  /** As a web application has one while it answers a request; it outlives its transactions. */
  @Test
  void after_a_listener_that_failed_an_open_session_can_have_another_transaction() {
    EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
    try (EntityManager open = factory.createEntityManager()) {
      TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(open));
      commitWithAListenerThatFails();
      String id = template.execute(status -> ledger.leased(newKey()));
      assertThat(ledger.isThere(id)).isTrue();
    } finally {
      TransactionSynchronizationManager.unbindResource(factory);
    }
  }

  @Test
  void nothing_is_kept_of_a_transaction_whose_listener_failed() {
    WeakReference<Object> resource = commitWithAListenerThatFails();
    for (int i = 0; i < 100 && resource.get() != null; i++) {
      System.gc();
    }
    assertThat(resource.get()).isNull();
  }

  private static WeakReference<Object> commitWithAListenerThatFails() {
    CompletableFuture<WeakReference<Object>> resource = new CompletableFuture<>();
    context.getBean(Metrics.class).fails = true;
    assertThatThrownBy(
            () ->
                template.executeWithoutResult(
                    status ->
                        resource.complete(
                            new WeakReference<>(
                                TransactionSynchronizationManager.getResource(
                                    context.getBean(EntityManagerFactory.class))))))
        .hasMessage("metrics");
    context.getBean(Metrics.class).fails = false;
    return resource.join();
  }
}
