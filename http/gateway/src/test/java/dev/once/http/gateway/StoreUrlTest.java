package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    "memory, MEMORY",
    "memory:, MEMORY",
    "sqlite:/var/lib/once.db, SQLITE",
    "postgresql://once:x@db:5432/once?ssl=true, DATABASE",
    "postgres://db/once, DATABASE",
    "mariadb://db/once, DATABASE",
    "redis://h, REDIS",
    "rediss://:x@h:6380/2, REDIS",
    "'redis-sentinel://a,b:26380#main', REDIS",
    "'rediss-sentinel://a,b:26380#main', REDIS",
    "'redis-cluster://a,b', REDIS",
    "'rediss-cluster://a,b?verify=ca', REDIS",
  })
  void every_form_is_read(String text, StoreUrl.Kind kind) {
    assertThat(StoreUrl.parse(text).kind()).isEqualTo(kind);
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
    assertThat(StoreUrl.masked(text)).doesNotContain("secret");
    try {
      assertThat(StoreUrl.parse(text)).asString().doesNotContain("secret");
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).doesNotContain("secret").doesNotContain("\n");
    }
  }

  @Test
  void a_file_has_no_password() {
    assertThat(StoreUrl.parse("sqlite:me@home.db")).hasToString("sqlite:me@home.db");
  }

  @Test
  void a_sentence_keeps_all_but_the_passwords_of_its_urls() {
    assertThat(StoreUrl.maskedWithin("Access denied for 'me'@'h': redis://:secret@h/1 is closed"))
        .isEqualTo("Access denied for 'me'@'h': redis://****@h/1 is closed");
  }

  @Test
  void a_url_of_jdbc_is_told_what_to_be() {
    assertThatThrownBy(() -> StoreUrl.parse("jdbc:postgresql://db/once"))
        .hasMessage(
            "'jdbc:postgresql://db/once' (expected:"
                + " postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE)");
  }
}
