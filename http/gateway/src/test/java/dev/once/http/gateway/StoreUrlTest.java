package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StoreUrlTest {

  @ParameterizedTest
  @CsvSource({
    "memory, STORE",
    "memory:, STORE",
    "sqlite:/var/lib/once.db, DATABASE",
    "SQLite:once.db, DATABASE",
    "postgresql://once:x@db:5432/once?ssl=true, DATABASE",
    "postgres://db/once, DATABASE",
    "mariadb://db/once, DATABASE",
    "redis://h, CACHE",
    "rediss://:x@h:6380/2, CACHE",
    "'redis-sentinel://a,b:26380#main', CACHE",
    "'rediss-sentinel://a,b:26380#main', CACHE",
    "'redis-cluster://a,b', CACHE",
    "'rediss-cluster://a,b?verify=ca', CACHE",
  })
  void every_form_is_read(String text, StoreRole role) {
    Stores.parse(text);
    for (StoreRole other : StoreRole.values()) {
      if (other == role || other == StoreRole.STORE) {
        Stores.parse(text, other);
      } else {
        assertThatThrownBy(() -> Stores.parse(text, other)).isInstanceOf(StoreUrlException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://me:secret@db/once",
        "postgresql://db/once?user=me&password=secret",
        "mariadb://me:a@secret@db/once",
        "redis://:secret@h",
        "redis://:se/secret@h",
        "redis-sentinel://a,b?sentinel-password=secret#main",
        "redis-cluster://me:secret@a,b",
        "postgresql:me:secret@db/once",
        "postgresql://me:a secret@db/once",
        "postgresql://me:secret@db",
        "jdbc:postgresql://me:secret@db/once",
        "jdbc:postgresql://db/once?password=secret",
        "mysql://me:secret@db/once",
        "redis://:secret@h?colour=red",
        "redis://:secret#@h",
      })
  void no_password_is_ever_shown(String text) {
    assertThat(Stores.masked(text)).doesNotContain("secret");
    try {
      assertThat(Stores.parse(text)).asString().doesNotContain("secret");
    } catch (StoreUrlException e) {
      assertThat(e.getMessage()).doesNotContain("secret").doesNotContain("\n");
    }
  }

  @Test
  void a_file_has_no_password() {
    assertThat(Stores.parse("sqlite:me@home.db")).hasToString("sqlite:me@home.db");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db/once, postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE",
    "jdbc:mariadb://db/once, mariadb://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE",
    "jdbc:mysql://db/once, mariadb://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE for a MariaDB; MySQL is not supported",
    "mysql://db/once, mariadb://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE for a MariaDB; MySQL is not supported",
    "jdbc:sqlite:once.db, sqlite:FILE",
    "'valkey://h', 'redis://HOST or rediss://HOST, for a Valkey too'",
  })
  void a_url_as_others_spell_it_is_told_what_to_be(String text, String expected) {
    assertThatThrownBy(() -> Stores.parse(text))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage("'" + text + "' (expected: " + expected + ")");
  }

  @Test
  void an_unknown_scheme_is_told_what_is_there() {
    assertThatThrownBy(() -> Stores.parse("mongo://h"))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage(
            "'mongo://h' (expected: memory:, sqlite:FILE, postgresql://HOST/DATABASE,"
                + " mariadb://HOST/DATABASE, redis://HOST, rediss://HOST,"
                + " redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS)");
  }

  @Test
  void to_read_a_url_loads_neither_a_driver_nor_a_client() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load",
                "-cp",
                System.getProperty("java.class.path"),
                ReadsUrls.class.getName())
            .redirectErrorStream(true)
            .start();
    String loaded = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(loaded).isZero();
    assertThat(loaded)
        .contains("dev.once.stores.jdbc.DatabaseStoreProvider")
        .doesNotContain(
            " org.postgresql.", " org.mariadb.", " org.sqlite.", " io.lettuce.", " com.zaxxer.");
  }

  /** What a gateway does with its settings. */
  static final class ReadsUrls {
    public static void main(String[] arguments) {
      Stores.parse("postgresql://me@db/once");
      Stores.parse("mariadb://me@db/once", StoreRole.DATABASE);
      Stores.parse("redis://h", StoreRole.CACHE);
      Stores.open("memory:").close();
    }
  }
}
