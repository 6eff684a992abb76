package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.Store;
import dev.once.spring.Client.Reply;
import dev.once.stores.jdbc.JdbcStore;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** An application that has H2, as many have in their tests; and one whose database is unknown. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ExtendWith(OutputCaptureExtension.class)
class H2Test {

  /** As Boot makes it by itself, and as people write it. */
  static Stream<String> urls() {
    return Stream.of(
        "",
        "jdbc:h2:mem:" + UUID.randomUUID() + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE",
        "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;MODE=MySQL");
  }

  private static Application application(String url) {
    return Application.of(Entries.class)
        .with(Application.Part.DATABASE)
        .with(Application.Part.JPA)
        .with("once.store.url", null)
        .with("spring.jpa.hibernate.ddl-auto", "create-drop")
        .with("spring.datasource.url", url.isEmpty() ? null : url);
  }

  @Entity(name = "h2_entry") // other tests have a table "entry"
  static class Entry {
    @Id String id = UUID.randomUUID().toString();
  }

  @RestController
  static class Entries {
    @PersistenceContext EntityManager entities;
    private final JdbcTemplate jdbc;

    Entries(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @PostMapping("/lease")
    String byLease() {
      return byJdbc(false);
    }

    @PostMapping("/jdbc")
    @Idempotent(sameTransaction = true)
    String byJdbc(@RequestParam(defaultValue = "false") boolean failing) {
      String id = UUID.randomUUID().toString();
      jdbc.update("insert into h2_entry (id) values (?)", id);
      if (failing) {
        throw new IllegalStateException("no bank");
      }
      return id;
    }

    @PostMapping("/jpa")
    @Idempotent(sameTransaction = true)
    @Transactional
    public String byJpa(@RequestParam(defaultValue = "false") boolean failing) {
      Entry entry = new Entry();
      entities.persist(entry);
      entities.flush();
      if (failing) {
        throw new IllegalStateException("no bank");
      }
      return entry.id;
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void an_application_with_h2_works_by_the_dependency_alone(String url, CapturedOutput output) {
    try (ConfigurableApplicationContext context = application(url).start()) {
      assertThat(output).contains("kept in the DataSource dataSource: it is the application's.");
      assertThat(context.getBean(Store.class)).isInstanceOf(JdbcStore.class);
      JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
      Client client = new Client(context);
      int entries = 0;
      for (String path : new String[] {"/lease", "/jdbc", "/jpa"}) {
        String key = UUID.randomUUID().toString();
        Reply first = client.post(path, key, "{}");
        Reply second = client.post(path, key, "{}");
        assertThat(first.status()).as(path + first.body()).isEqualTo(200);
        assertThat(second.isReplay()).as(path).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
        entries++;
        assertThat(count(jdbc, "h2_entry")).as(path).isEqualTo(entries);
        assertThat(count(jdbc, "idempotency_keys")).as(path).isEqualTo(entries);
      }
      for (String path : new String[] {"/jdbc", "/jpa"}) {
        Reply failed = client.post(path + "?failing=true", UUID.randomUUID().toString(), "{}");
        assertThat(failed.status()).isEqualTo(500);
        assertThat(count(jdbc, "h2_entry")).as(path).isEqualTo(entries);
      }
    }
    assertThat(output).doesNotContain("WARN dev.once");
  }

  private static int count(JdbcTemplate jdbc, String table) {
    return jdbc.queryForObject("select count(*) from " + table, Integer.class);
  }

  @Test
  void a_database_that_is_unknown_stops_the_start_and_says_how_to_go_on(CapturedOutput output) {
    assertThatThrownBy(
            () ->
                Application.of()
                    .withoutWeb()
                    .with(Application.Part.DATABASE)
                    .with("once.store.url", null)
                    .with("spring.datasource.url", "jdbc:hsqldb:mem:unknown")
                    .start())
        .isNotNull();
    assertThat(output.getAll().replaceAll("\\s+", " "))
        .contains("APPLICATION FAILED TO START")
        .contains(
            "Keys cannot be kept in the DataSource dataSource: database: HSQL Database Engine")
        .contains("(expected: PostgreSQL, MariaDB, H2 or SQLite)")
        .contains("set once.store.kind=embedded")
        .contains("once.store.url=memory:");
  }

  @Test
  void with_one_of_these_properties_it_starts() {
    try (ConfigurableApplicationContext context =
        Application.of()
            .withoutWeb()
            .with(Application.Part.DATABASE)
            .with("once.store.url", "memory:")
            .with("spring.datasource.url", "jdbc:hsqldb:mem:unknown")
            .start()) {
      assertThat(context.getBean(Store.class)).isNotNull();
    }
  }
}
