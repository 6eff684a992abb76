package dev.once.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StoreCommandTest {

  @TempDir Path folder;

  @Test
  void a_database_is_unfit_until_it_is_migrated() {
    for (String url :
        new String[] {
          PostgresServer.shared().newDatabase(), MariaDbServer.shared().newDatabase()
        }) {
      Run before = Run.of("store", "check", url);
      assertThat(before.code()).as(before.out()).isEqualTo(1);
      assertThat(before.outLines())
          .startsWith(Stores.masked(url))
          .anyMatch(line -> line.matches(" {2}UNFIT {4}schema {6}.*tables of Once are missing.*"))
          .endsWith("This store is unfit to hold keys.")
          .allMatch(line -> line.length() <= 100);
      assertThat(before.out().replaceAll("\\s+", " ")).contains("./once store migrate URL");

      Run migrated = Run.of("store", "migrate", url);
      assertThat(migrated.err()).isEmpty();
      assertThat(migrated.code()).isZero();
      assertThat(migrated.outLines())
          .containsExactly(
              Stores.masked(url) + ": created the tables: there were none, now schema version 1");
      assertThat(Run.of("store", "migrate", url).outLines())
          .containsExactly(
              Stores.masked(url) + ": nothing to do: the tables are there, schema version 1");

      Run after = Run.of("store", "check", url);
      assertThat(after.code()).as(after.out()).isZero();
      assertThat(after.outLines())
          .contains("  GOOD     schema      version 1")
          .anyMatch(line -> line.startsWith("  GOOD     version     "))
          .anyMatch(line -> line.matches(" {2}\\w+ +latency .*"))
          .anyMatch(line -> line.matches(" {2}\\w+ +clock .*"));
    }
  }

  @Test
  void a_redis_that_keeps_all_is_fit_and_has_nothing_to_migrate() throws Exception {
    try (RedisServer redis = RedisServer.start("appendonly yes", "appendfsync always")) {
      Run check = Run.of("store", "check", redis.url());
      assertThat(check.code()).as(check.out()).isZero();
      assertThat(check.outLines()).anyMatch(line -> line.matches(" {2}GOOD +connection .*"));
      assertThat(Run.of("store", "migrate", redis.url()).outLines())
          .containsExactly(redis.url() + ": nothing to do: a Redis has no tables");
    }
  }

  @Test
  void a_redis_that_drops_keys_when_it_is_full_is_unfit() throws Exception {
    try (RedisServer redis = RedisServer.start("maxmemory 100mb", "maxmemory-policy allkeys-lru")) {
      Run check = Run.of("store", "check", redis.url());
      assertThat(check.code()).isEqualTo(1);
      assertThat(check.out()).contains("UNFIT", "allkeys-lru");
    }
  }

  @Test
  void a_server_that_is_not_there_is_unfit_and_its_password_not_told() {
    for (String url :
        new String[] {
          "redis://:s3cret@127.0.0.1:1?connect-timeout=1s",
          "postgresql://me:s3cret@127.0.0.1:1/once"
        }) {
      Run check = Run.of("store", "check", url);
      assertThat(check.code()).isEqualTo(1);
      assertThat(check.outLines()).anyMatch(line -> line.startsWith("  UNFIT    connection  "));
      assertThat(check.out() + check.err()).doesNotContain("s3cret");
    }
    Run migrate = Run.of("store", "migrate", "postgresql://me:s3cret@127.0.0.1:1/once");
    assertThat(migrate.code()).isEqualTo(1);
    assertThat(migrate.errLines())
        .singleElement()
        .asString()
        .startsWith("store: postgresql://****@127.0.0.1:1/once: postgresql: opening failed")
        .contains("refused");
  }

  @Test
  void a_file_is_looked_at_and_not_made() {
    Path file = folder.resolve("once.db");
    String url = "sqlite:" + file;
    Run check = Run.of("store", "check", url);
    assertThat(check.code()).as(check.out()).isZero();
    assertThat(check.outLines())
        .contains("  GOOD     file        is not there yet, and is made when it is first used");
    assertThat(file).doesNotExist();

    assertThat(Run.of("store", "migrate", url).out()).contains("created the tables");
    assertThat(Run.of("store", "migrate", url).out()).contains("nothing to do");
    assertThat(Run.of("store", "check", url).outLines())
        .contains("  GOOD     schema      version 1");
  }

  @Test
  void a_file_that_is_no_database_or_has_no_folder_is_unfit() throws Exception {
    Path text = Files.writeString(folder.resolve("text"), "no database, but long enough for one\n");
    assertThat(Run.of("store", "check", "sqlite:" + text).code()).isEqualTo(1);
    assertThat(Run.of("store", "check", "sqlite:" + folder.resolve("no/once.db")).code())
        .isEqualTo(1);
  }

  @Test
  void a_folder_in_place_of_a_file_is_unfit_and_named_once() {
    Run check = Run.of("store", "check", "sqlite:" + folder);
    assertThat(check.code()).isEqualTo(1);
    String words = check.out().replaceAll("\\s+", " ");
    assertThat(words)
        .contains("UNFIT file %s is a folder (expected: a file, such as ".formatted(folder))
        .containsOnlyOnce("UNFIT ");
  }

  @Test
  void a_folder_that_is_not_there_is_named_by_every_command_that_opens_the_file() {
    Path missing = folder.resolve("no");
    String error = "folder " + missing + " (expected: one that is there); make it, or name";
    String url = "sqlite:" + missing.resolve("once.db");
    assertThat(Run.of("store", "check", url).out().replaceAll("\\s+", " ")).contains(error);
    for (Run run :
        List.of(
            Run.of("store", "migrate", url),
            Run.of("gateway", "--upstream", "http://h:1", "--admin", "none", "--store", url))) {
      assertThat(run.errLines()).singleElement().asString().startsWith("store: ").contains(error);
    }
  }

  @Test
  void memory_is_fit_with_warnings() {
    Run check = Run.of("store", "check", "memory:");
    assertThat(check.code()).isZero();
    assertThat(check.outLines())
        .anyMatch(line -> line.startsWith("  WARNING  durability  none: when the process ends"))
        .endsWith("This store is fit to hold keys, with 2 warnings.");
    assertThat(Run.of("store", "migrate", "memory").outLines())
        .containsExactly("memory:: nothing to do: memory has no tables");
  }

  @Test
  void the_url_may_be_in_the_environment() {
    Run check = Run.in(Map.of("ONCE_STORE", "memory:"), "", "store", "check");
    assertThat(check.code()).isZero();
    assertThat(check.outLines()).startsWith("memory:");
    assertThat(Run.of("store", "check").errLines())
        .containsExactly("URL: missing (expected: " + Stores.expected(StoreRole.STORE) + ")");
  }

  @Test
  void wrong_usage_is_refused_without_a_password() {
    Run url = Run.of("store", "check", "mysql://me:s3cret@db/once");
    assertThat(url.code()).isEqualTo(2);
    assertThat(url.errLines())
        .containsExactly(
            "URL: 'mysql://****@db/once' (expected:"
                + " mariadb://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE for a MariaDB; MySQL is not"
                + " supported)");
    Run action = Run.of("store", "chekc", "memory:");
    assertThat(action.code()).isEqualTo(2);
    assertThat(action.errLines())
        .containsExactly("once store: 'chekc' (expected: check or migrate)");
    Run many = Run.of("store", "check", "memory:", "redis://:s3cret@h");
    assertThat(many.code()).isEqualTo(2);
    assertThat(many.errLines()).containsExactly("'redis://****@h': not expected here (see --help)");
    assertThat(Run.of("gateway", "--stoer", "redis://:s3cret@h").err()).doesNotContain("s3cret");
  }

  @Test
  void the_configuration_is_shown_without_passwords() throws Exception {
    Path file = folder.resolve("once.yaml");
    Files.writeString(
        file,
        "upstream: http://localhost:1\nstore: redis://:s3cret@h\nfallback: postgresql://me:s3cret@db/o\n");
    Run run = Run.of("config", "check", file.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("redis://****@h", "postgresql://****@db/o");
    assertThat(run.out() + run.err()).doesNotContain("s3cret");
  }
}
