package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring still has a transaction on the thread while it calls those who wait for its end. What
 * joins it then is never committed, so it must not be recorded as done.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AfterCommitTest {

  private static ConfigurableApplicationContext context;
  private static Ledger ledger;

  @BeforeAll
  static void start() throws SQLException {
    String url = PostgresServer.shared().newDatabase();
    try (Connection connection = PostgresServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("create table entry (id text)");
    }
    context =
        Application.of(Ledger.class, Listener.class)
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", null)
            .with("once.store.migrate", "true")
            .with("spring.datasource.hikari.auto-commit", "false")
            .with("spring.datasource.url", PostgresServer.jdbcUrl(url))
            .start();
    ledger = context.getBean(Ledger.class);
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
    public String leased(String key) {
      return enter();
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional
    public String together(String key) {
      return enter();
    }

    @Idempotent(key = "#key")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String apart(String key) {
      return enter();
    }

    @Idempotent(key = "#key")
    public String undeclared(String key) {
      return "sent"; // a mail, say
    }

    @Idempotent(key = "#key")
    @Transactional(readOnly = true)
    public String reading(String key) {
      return "sent "
          + jdbc.queryForObject("select count(*) from entry where id = ''", Integer.class);
    }

    @Idempotent(key = "#key")
    @Transactional(propagation = Propagation.SUPPORTS)
    public String supporting(String key) {
      return "sent";
    }

    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional(readOnly = true)
    public String readingTogether(String key) {
      return "sent";
    }

    @Transactional(readOnly = true)
    public boolean isThere(String id) {
      return jdbc.queryForObject("select count(*) from entry where id = ?", Integer.class, id) == 1;
    }

    @Transactional
    public <T> T joining(Supplier<T> call) {
      return call.get();
    }

    private String enter() {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into entry values (?)", id);
      return id;
    }
  }

  record Committed(Runnable call) {}

  record RolledBack(Runnable call) {}

  @Component
  static class Listener {
    @TransactionalEventListener
    public void on(Committed event) {
      event.call().run();
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    public void on(RolledBack event) {
      event.call().run();
    }
  }

  /** When something is called: always after the end of a transaction that is still there. */
  enum Moment {
    AFTER_COMMIT {
      @Override
      void plan(Runnable call) {
        TransactionSynchronizationManager.registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                call.run();
              }
            });
      }
    },
    LISTENER {
      @Override
      void plan(Runnable call) {
        publisher().publishEvent(new Committed(call));
      }
    },
    /** Spring then says that no transaction is active, but what follows still joins it. */
    LISTENER_THAT_HAS_READ {
      @Override
      void plan(Runnable call) {
        LISTENER.plan(
            () -> {
              ledger.isThere("");
              call.run();
            });
      }
    },
    LISTENER_WHOSE_SERVICE_JOINS {
      @Override
      void plan(Runnable call) {
        LISTENER.plan(() -> ledger.joining(Moment.of(call)));
      }
    },
    AFTER_ROLLBACK {
      @Override
      void plan(Runnable call) {
        publisher().publishEvent(new RolledBack(call));
      }
    };

    abstract void plan(Runnable call);

    private static ApplicationEventPublisher publisher() {
      return context;
    }

    private static Supplier<Boolean> of(Runnable call) {
      return () -> {
        call.run();
        return true;
      };
    }

    /** What came of the call; Spring itself only logs what listeners throw. */
    CompletableFuture<String> call(Supplier<String> call) {
      CompletableFuture<String> result = new CompletableFuture<>();
      template(TransactionDefinition.PROPAGATION_REQUIRED)
          .executeWithoutResult(
              status -> {
                plan(
                    () -> {
                      try {
                        result.complete(call.get());
                      } catch (RuntimeException e) {
                        result.completeExceptionally(e);
                      }
                    });
                if (this == AFTER_ROLLBACK) {
                  status.setRollbackOnly();
                }
              });
      assertThat(result).isDone();
      return result;
    }
  }

  private static TransactionTemplate template(int propagation) {
    TransactionTemplate template =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    template.setPropagationBehavior(propagation);
    return template;
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  static Stream<Arguments> momentsAndModes() {
    BiFunction<Ledger, String, String> leased = Ledger::leased;
    BiFunction<Ledger, String, String> together = Ledger::together;
    return Arrays.stream(Moment.values())
        .flatMap(
            moment ->
                Stream.of(
                    Arguments.of(moment, "leased", leased),
                    Arguments.of(moment, "same transaction", together)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("momentsAndModes")
  void what_would_join_a_transaction_that_has_ended_is_refused_and_its_key_stays_free(
      Moment moment, String mode, BiFunction<Ledger, String, String> method) {
    String key = newKey();
    assertThatThrownBy(moment.call(() -> method.apply(ledger, key))::join)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("AfterCommitTest$Ledger." + method(mode))
        .hasMessageContaining("propagation = Propagation.REQUIRES_NEW");
    String id = method.apply(ledger, key);
    assertThat(ledger.isThere(id)).isTrue();
    assertThat(method.apply(ledger, key)).isEqualTo(id);
  }

  private static String method(String mode) {
    return mode.equals("leased") ? "leased" : "together";
  }

  @ParameterizedTest
  @EnumSource
  void what_has_a_transaction_of_its_own_is_recorded(Moment moment) {
    String key = newKey();
    String id = moment.call(() -> ledger.apart(key)).join();
    assertThat(ledger.isThere(id)).isTrue();
    assertThat(ledger.apart(key)).isEqualTo(id);
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("momentsAndModes")
  void what_joins_a_new_transaction_of_its_caller_is_recorded(
      Moment moment, String mode, BiFunction<Ledger, String, String> method) {
    String key = newKey();
    TransactionTemplate anew = template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    String id = moment.call(() -> anew.execute(status -> method.apply(ledger, key))).join();
    assertThat(ledger.isThere(id)).isTrue();
    assertThat(method.apply(ledger, key)).isEqualTo(id);
  }

  @Test
  void what_says_nothing_of_transactions_runs_and_is_recorded() {
    for (Moment moment : Moment.values()) {
      if (moment != Moment.LISTENER_WHOSE_SERVICE_JOINS) { // nobody knows how that ends
        String key = newKey();
        assertThat(moment.call(() -> ledger.undeclared(key)).join()).isEqualTo("sent");
        assertThat(ledger.undeclared(key)).isEqualTo("sent");
      }
    }
  }

  /** A mail that reads an order, say. Its key is the store's, and no part of the transaction. */
  @ParameterizedTest
  @EnumSource
  void what_only_reads_runs_and_is_recorded(Moment moment) {
    String key = newKey();
    assertThat(moment.call(() -> ledger.reading(key)).join()).isEqualTo("sent 0");
    assertThat(ledger.reading(key)).isEqualTo("sent 0");
  }

  @ParameterizedTest
  @EnumSource
  void what_does_not_ask_for_a_transaction_runs_and_is_recorded(Moment moment) {
    String key = newKey();
    assertThat(moment.call(() -> ledger.supporting(key)).join()).isEqualTo("sent");
    assertThat(ledger.supporting(key)).isEqualTo("sent");
  }

  @ParameterizedTest
  @EnumSource
  void what_only_reads_is_refused_if_its_key_would_be_written_in_the_same_transaction(
      Moment moment) {
    assertThatThrownBy(moment.call(() -> ledger.readingTogether(newKey()))::join)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("propagation = Propagation.REQUIRES_NEW");
  }
}
