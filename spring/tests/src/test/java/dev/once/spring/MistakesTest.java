package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.once.spring.Client.Reply;
import dev.once.testing.servers.PostgresServer;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Annotations that would protect less than they seem to stop the start, and say what to change. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class MistakesTest {

  record Placed(String id, int amount) {}

  record Cancelled(String id, int amount) {}

  private static void assertFails(
      CapturedOutput output, Application application, String wrong, String action) {
    assertThatThrownBy(() -> application.start().close()).isNotNull();
    String told = output.getAll().replaceAll("\\s+", " ");
    assertThat(told)
        .contains("APPLICATION FAILED TO START")
        .contains("Description: " + wrong)
        .contains("Action: " + action);
  }

  private static Application plain(Class<?>... beans) {
    return Application.of(beans).withoutWeb();
  }

  // Names.

  static class Overloaded {
    @Idempotent(key = "#event.id")
    public String on(Placed event) {
      return "placed";
    }

    @Idempotent(key = "#event.id")
    public String on(Cancelled event) {
      return "cancelled";
    }
  }

  @Test
  void two_methods_of_one_name_that_would_have_their_keys_in_common(CapturedOutput output) {
    assertFails(
        output,
        plain(Overloaded.class),
        "@Idempotent on dev.once.spring.MistakesTest$Overloaded.on: several methods have this name",
        "Give each of them one");
  }

  static class Named {
    @Idempotent(key = "#event.id", name = "placed")
    public String on(Placed event) {
      return "placed";
    }

    @Idempotent(key = "#event.id", name = "cancelled")
    public String on(Cancelled event) {
      return "cancelled";
    }
  }

  @Test
  void two_methods_of_one_name_that_have_names_for_their_keys_are_two() {
    try (ConfigurableApplicationContext context = plain(Named.class).start()) {
      Named named = context.getBean(Named.class);
      assertThat(named.on(new Placed("1", 1))).isEqualTo("placed");
      assertThat(named.on(new Cancelled("1", 1))).isEqualTo("cancelled");
    }
  }

  static class MisspeltKey {
    @Idempotent(key = "#evnt", required = false)
    public void on(String event) {}
  }

  static class MisspeltFingerprint {
    @Idempotent(key = "#event.id", fingerprint = "{#event.id, #evnt.amount}")
    public void on(Placed event) {}
  }

  @Test
  void a_key_of_an_argument_that_is_not_there(CapturedOutput output) {
    assertFails(
        output,
        plain(MisspeltKey.class),
        "@Idempotent on dev.once.spring.MistakesTest$MisspeltKey.on: #evnt is not one of its"
            + " arguments (expected: #event, #a0",
        "Name an argument");
  }

  @Test
  void a_fingerprint_of_an_argument_that_is_not_there(CapturedOutput output) {
    assertFails(
        output,
        plain(MisspeltFingerprint.class),
        "@Idempotent on dev.once.spring.MistakesTest$MisspeltFingerprint.on: #evnt is not one of",
        "Name an argument");
  }

  // Results.

  static class Closed {
    private final String secret = "x";

    @Override
    public String toString() {
      return secret;
    }
  }

  record Around(Closed closed) {}

  static class Unwritable {
    @Idempotent(key = "#a0")
    public Around make(String key) {
      return new Around(new Closed());
    }
  }

  @Test
  void a_result_of_which_a_part_would_not_be_written(CapturedOutput output) {
    assertFails(
        output,
        plain(Unwritable.class),
        "@Idempotent on dev.once.spring.MistakesTest$Unwritable.make: its result,"
            + " dev.once.spring.MistakesTest$Around, cannot be recorded as JSON and read again:"
            + " dev.once.spring.MistakesTest$Closed has nothing that Jackson would write",
        "Return a class or record");
  }

  record Numbered(@JsonProperty(access = JsonProperty.Access.READ_ONLY) String id, int amount) {}

  static class Forgetful {
    @Idempotent(key = "#a0")
    public Numbered make(String key) {
      return new Numbered("1", 1);
    }
  }

  @Test
  void a_result_that_a_retry_would_get_without_a_part(CapturedOutput output) {
    assertFails(
        output,
        plain(Forgetful.class),
        "@Idempotent on dev.once.spring.MistakesTest$Forgetful.make: its result,"
            + " dev.once.spring.MistakesTest$Numbered, cannot be recorded as JSON and read again:"
            + " dev.once.spring.MistakesTest$Numbered would lose its id",
        "Return a class or record");
  }

  @Idempotent(key = "#a0")
  static class Whole {
    public String make(String key) {
      return "made";
    }

    @Override
    public String toString() {
      return "whole";
    }
  }

  @Test
  void an_annotation_on_a_class_is_not_about_what_every_object_has() {
    try (ConfigurableApplicationContext context = plain(Whole.class).start()) {
      assertThat(context.getBean(Whole.class)).hasToString("whole");
      assertThat(context.getBean(Whole.class).make("a")).isEqualTo("made");
    }
  }

  // Transactions.

  /**
   * Asks for the server here: where there is none, Spring would report the skip as a failed start.
   */
  private static Application onDatabase(Class<?>... beans) {
    assertThat(PostgresServer.shared().isRunning()).isTrue();
    return Application.of(beans)
        .with(Application.Part.DATABASE)
        .with("once.store.url", null)
        .with("once.store.migrate", "true");
  }

  private static DataSource newDatabase() {
    String url = PostgresServer.jdbcUrl(PostgresServer.shared().newDatabase());
    return DataSourceBuilder.create().url(url).build();
  }

  @Configuration
  @EnableTransactionManagement
  static class TwoDatabases {
    @Bean
    @Primary
    DataSource first() {
      return newDatabase();
    }

    @Bean
    DataSource second() {
      return newDatabase();
    }

    @Bean
    @Primary
    PlatformTransactionManager ofFirst(@Qualifier("first") DataSource first) {
      return new JdbcTransactionManager(first);
    }

    @Bean
    PlatformTransactionManager ofSecond(@Qualifier("second") DataSource second) {
      return new JdbcTransactionManager(second);
    }
  }

  static class InSecond {
    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional("ofSecond")
    public void write(String key) {}
  }

  static class InFirst {
    @Idempotent(key = "#key", sameTransaction = true)
    @Transactional("ofFirst")
    public void write(String key) {}
  }

  @Test
  void a_method_that_writes_in_another_transaction_than_its_key(CapturedOutput output) {
    assertFails(
        output,
        onDatabase(TwoDatabases.class, InSecond.class).withoutWeb(),
        "Same-transaction mode on dev.once.spring.MistakesTest$InSecond.write: its"
            + " @Transactional names ofSecond, and keys are written by another",
        "Keep keys in the DataSource of that one");
  }

  @Test
  void transactions_of_another_database_than_that_of_the_keys(CapturedOutput output) {
    assertFails(
        output,
        onDatabase(TwoDatabases.class, InFirst.class)
            .withoutWeb()
            .with("once.store.data-source", "second"),
        "Same-transaction mode is asked for, but the transactions of"
            + " org.springframework.jdbc.support.JdbcTransactionManager are not those of the"
            + " DataSource that keys are kept in",
        "Set once.store.data-source to the DataSource that is written to");
  }

  @Test
  void of_two_transaction_managers_the_one_of_the_keys_may_be_named() {
    try (ConfigurableApplicationContext context =
        onDatabase(TwoDatabases.class, InFirst.class).withoutWeb().start()) {
      context.getBean(InFirst.class).write("a");
      assertThat(
              new JdbcTemplate(context.getBean("first", DataSource.class))
                  .queryForObject("select count(*) from idempotency_keys", Integer.class))
          .isOne();
    }
  }

  @RestController
  static class OfItsOwn {
    @PostMapping("/payments")
    @Idempotent(sameTransaction = true)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void pay() {}
  }

  @Configuration
  static class OneDatabase {
    @Bean
    DataSource dataSource() {
      return newDatabase();
    }
  }

  @Test
  void a_handler_that_wants_a_transaction_of_its_own(CapturedOutput output) {
    assertFails(
        output,
        onDatabase(OneDatabase.class, OfItsOwn.class),
        "Same-transaction mode on dev.once.spring.MistakesTest$OfItsOwn.pay: its"
            + " @Transactional has another propagation",
        "Change the propagation to REQUIRED");
  }

  @RestController
  static class Isolated {
    private final JdbcTemplate jdbc;

    Isolated(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @PostMapping("/isolation")
    @Idempotent(sameTransaction = true)
    @Transactional(isolation = Isolation.SERIALIZABLE)
    public String isolation() {
      return jdbc.queryForObject("show transaction_isolation", String.class);
    }
  }

  @Test
  void a_handler_has_the_transaction_that_its_annotation_describes() {
    try (ConfigurableApplicationContext context =
        onDatabase(OneDatabase.class, Isolated.class).start()) {
      Reply reply = new Client(context).post("/isolation", UUID.randomUUID().toString(), "{}");
      assertThat(reply.body()).isEqualTo("serializable");
    }
  }
}
