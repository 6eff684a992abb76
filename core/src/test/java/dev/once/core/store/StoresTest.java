package dev.once.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.StoreSetupException.Problem;
import dev.once.core.store.spi.StoreRole;
import dev.once.core.store.spi.StoreUrls;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores by their URLs, where there are no others than core's own and two toys. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StoresTest {

  @Test
  void a_store_that_only_its_own_provider_knows_is_opened_by_its_url() throws Exception {
    Operation operation =
        Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("x"), Policy.DEFAULT);
    try (Store store = Stores.open("toy://box");
        Once once = Once.on(store)) {
      assertThat(once.run(operation, execution -> Answer.success(200, Body.of("1"))))
          .isInstanceOf(Result.Executed.class);
      assertThat(ToyStoreProvider.OPEN).hasValue(1);
    }
    assertThat(ToyStoreProvider.OPEN).hasValue(0);
  }

  @Test
  void such_a_store_is_checked_migrated_and_listed_as_ours_are() {
    StoreUrl url = Stores.parse("toy://me:secret@box");
    assertThat(url).hasToString("toy://****@box");
    assertThat(Stores.check(url)).containsExactly(Finding.good("toy", "is a toy"));
    assertThat(Stores.migrate(url)).isEqualTo("put the bricks into the box");
    assertThat(Stores.forms(StoreRole.DATABASE)).containsExactly("toy://HOST");
    assertThatThrownBy(() -> Stores.parse("lego://box"))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage("'lego://box' (expected: memory:, toy://HOST or toycache:)");
    assertThatThrownBy(() -> Stores.parse("toy:box"))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage("'toy:box' (expected: toy://HOST)");
  }

  @Test
  void memory_needs_no_colon_and_takes_nothing_else() {
    assertThat(Stores.parse("memory")).isEqualTo(Stores.parse("memory:")).hasToString("memory:");
    Stores.open("MEMORY").close();
    assertThatThrownBy(() -> Stores.parse("memory:here"))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage("'memory:here' (expected: memory:)");
  }

  @ParameterizedTest
  @CsvSource({
    "sqlite:once.db, once-stores-jdbc",
    "postgresql://db/once, once-stores-jdbc",
    "mariadb://db/once, once-stores-jdbc",
    "redis://h, once-stores-redis",
    "rediss-cluster://h, once-stores-redis",
  })
  void a_store_whose_module_is_missing_is_told_which_dependency_to_add(
      String url, String dependency) {
    assertThatThrownBy(() -> Stores.open(url))
        .isInstanceOf(StoreUrlException.class)
        .hasMessage(
            "'%s' needs dev.once:%s (expected: on the class path; add that dependency)"
                .formatted(url, dependency));
  }

  @Test
  void a_cache_without_the_module_for_it_is_told_which_dependency_to_add_and_closes_the_store() {
    StoreUrls urls =
        new StoreUrls(Stores.parse("toy://box"), Stores.parse("toycache:", StoreRole.CACHE), null);
    assertThatThrownBy(() -> Stores.open(urls, () -> {}))
        .hasMessageContaining("dev.once:once-stores-tiered")
        .asInstanceOf(type(StoreSetupException.class))
        .extracting(StoreSetupException::problem)
        .isEqualTo(Problem.DEPENDENCY);
    assertThat(ToyStoreProvider.OPEN).hasValue(0);
  }

  @Test
  void a_failure_names_the_store_on_one_line_without_its_password() {
    StoreUrl gone = Stores.parse("toy://me:secret@gone");
    String expected = "toy://****@gone: cannot reach toy://****@gone at all";
    assertThatThrownBy(() -> Stores.open(gone))
        .isInstanceOf(StoreException.class)
        .hasMessage(expected);
    assertThatThrownBy(() -> Stores.migrate(gone)).hasMessage(expected);
    assertThatThrownBy(() -> Stores.open(new StoreUrls(gone, null, null), () -> {}))
        .hasMessage("store: " + expected);
    assertThat(Stores.check(gone))
        .containsExactly(Finding.unfit("connection", "cannot reach toy://****@gone at all"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"postgresql://me:hunter2@db/once\"", // docker run --env-file keeps quotes
        "'redis://:hunter2@h'",
        " postgresql://me:hunter2@db/once",
        "\nredis://:hunter2@h",
        "//me:hunter2@db/once",
        "url=redis://:hunter2@h",
        "postgres_ql://me:hunter2@db/once",
        "nothing://db/once?user=me&password=hush@hunter2",
        "nothing://me:hush?password=x@hunter2",
        "nothing://me:hunter2@db/once?password=hunter2",
      })
  void a_url_of_no_store_is_told_without_its_password(String url) {
    assertThatThrownBy(() -> Stores.parse(url))
        .isInstanceOf(StoreUrlException.class)
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void a_failure_still_says_what_has_to_be_changed() {
    assertThatThrownBy(
            () -> Stores.open(new StoreUrls(Stores.parse("toy://empty"), null, null), () -> {}))
        .asInstanceOf(type(StoreSetupException.class))
        .extracting(StoreSetupException::problem)
        .isEqualTo(Problem.TABLES);
  }

  @Test
  void a_cache_goes_in_front_of_a_database_and_a_database_behind_a_cache() {
    StoreUrl memory = Stores.parse("memory:");
    StoreUrl database = Stores.parse("toy://box");
    StoreUrl cache = Stores.parse("toycache:");
    assertThat(new StoreUrls(database, null, null).mismatch()).isEmpty();
    assertThat(new StoreUrls(database, cache, null).mismatch()).isEmpty();
    assertThat(new StoreUrls(cache, null, database).mismatch()).isEmpty();
    assertThat(new StoreUrls(memory, cache, null).mismatch())
        .map(StoreUrls.Mismatch::part)
        .contains("cache");
    assertThat(new StoreUrls(database, null, database).mismatch())
        .map(StoreUrls.Mismatch::part)
        .contains("fallback");
    StoreUrls both = new StoreUrls(database, cache, database);
    assertThatThrownBy(() -> Stores.open(both, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cache: together with fallback (expected: one of them)");
  }

  @Test
  void a_sentence_keeps_all_but_the_passwords_of_its_urls() {
    assertThat(
            CredentialMasking.sentence("Access denied for 'me'@'h': redis://:secret@h/1 is closed"))
        .isEqualTo("Access denied for 'me'@'h': redis://****@h/1 is closed");
  }
}
