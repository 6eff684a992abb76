package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever writes the URL of a driver, or of another database, is told what to write instead. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UrlHintsTest {

  private static final String FORM = "://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE";

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://me:s3cret@h/db, postgresql",
    "JDBC:PostgreSQL://h/db?user=me&password=s3cret, postgresql",
    "r2dbc:postgresql://me:s3cret@h/db, postgresql",
    "pgsql://me:s3cret@h/db, postgresql",
    "psql://me:s3cret@h/db, postgresql",
    "postgress://me:s3cret@h/db, postgresql",
    "jdbc:mariadb://me:s3cret@h/db, mariadb",
    "maria://me:s3cret@h/db, mariadb"
  })
  void the_url_of_a_driver_or_a_misspelt_one_is_told_the_right_form(String url, String scheme) {
    assertTold(url, "(expected: " + scheme + FORM + ")");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:mysql://me:s3cret@h/db",
    "JDBC:MySQL://me:s3cret@h/db",
    "mysql://me:s3cret@h/db"
  })
  void mysql_is_told_to_be_none_of_them(String url) {
    assertTold(url, "(expected: mariadb" + FORM + " for a MariaDB; MySQL is not supported)");
  }

  @ParameterizedTest
  @CsvSource({"jdbc:h2:mem:shop", "h2:mem:shop;PASSWORD=s3cret"})
  void h2_is_for_an_applications_data_source(String url) {
    assertTold(
        url, "(expected: sqlite:FILE for keys in a file of this machine; an H2 is used by an");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:oracle:thin:me/s3cret@h:1521/db",
    "jdbc:sqlserver://h;user=me;password=s3cret",
    "jdbc:hsqldb:mem:x",
    "oracle://me:s3cret@h/db"
  })
  void another_database_is_told_what_is_supported(String url) {
    assertTold(url, "or sqlite:FILE for keys in a file of this machine; no other database is");
  }

  @ParameterizedTest
  @CsvSource({"jdbc:sqlite:once.db", "JDBC:SQLITE:once.db"})
  void sqlites_driver_too(String url) {
    assertTold(url, "(expected: sqlite:FILE)");
  }

  private static void assertTold(String url, String hint) {
    Throwable told = catchThrowable(() -> Stores.open(url));
    assertThat(told).isInstanceOf(StoreUrlException.class).hasMessageContaining(hint);
    assertThat(told.getMessage()).doesNotContain("s3cret");
  }
}
