package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/**
 * Keys and answers are in clear in the files: who may read them, and for how long they are there.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlitePrivacyTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final String MARK = "SECRET-";
  private static final int RECORDS = 200;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("once.db");
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static OperationId id(int i) {
    return new OperationId(new Scope(MARK + "tenant", "", ""), Key.of(MARK + "key-" + i));
  }

  private static Lease claim(JdbcStore store, int i) {
    ClaimRequest request = new ClaimRequest(id(i), Fingerprint.of("pay"), i, HOUR, HOUR, false);
    return ((Claim.Granted) join(store.claim(request))).lease();
  }

  /** Random, so that no compression hides the mark; every tenth fills pages of its own. */
  private static Answer answer(int i) {
    byte[] body = new byte[i % 10 == 0 ? 60_000 : 100];
    new Random(i).nextBytes(body);
    byte[] mark = (MARK + "answer-" + i).getBytes(StandardCharsets.UTF_8);
    System.arraycopy(mark, 0, body, body.length - mark.length, mark.length);
    return Answer.success(201, new Body.Full(Bytes.wrap(body)));
  }

  private static void fill(JdbcStore store) {
    for (int i = 0; i < RECORDS; i++) {
      assertThat(join(store.complete(claim(store, i), answer(i), HOUR))).isTrue();
    }
  }

  private static void purgeAll(JdbcStore store, SqliteFile file) {
    file.timePasses(HOUR.multipliedBy(3));
    int purged = 0;
    for (int batch = -1; batch != 0; purged += batch) {
      batch = join(store.purgeExpired(50));
    }
    assertThat(purged).isEqualTo(RECORDS);
  }

  /** How often the mark is in each file of the folder. */
  private Map<String, Integer> copies() {
    Map<String, Integer> copies = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        int found = bytes.split(MARK, -1).length - 1;
        if (found > 0) {
          copies.put(file.getFileName().toString(), found);
        }
      }
      return copies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void after_a_purge_no_copy_of_a_key_or_an_answer_is_in_any_file() {
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      fill(store);
      assertThat(copies()).as("what is searched for can be found").isNotEmpty();
      purgeAll(store, new SqliteFile(file()));
      assertThat(copies()).as("while it runs").isEmpty();
    }
    assertThat(copies()).as("after a clean stop").isEmpty();
  }

  @Test
  void what_was_released_or_recorded_anew_leaves_no_copy_either() {
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      fill(store);
      new SqliteFile(file()).timePasses(HOUR.multipliedBy(3));
      for (int i = 0; i < RECORDS; i++) {
        Lease again = claim(store, i); // in place of what has expired
        assertThat(join(store.release(again))).isTrue();
      }
      join(store.purgeExpired(2 * RECORDS)); // a released record stays until then
    }
    assertThat(copies()).isEmpty();
  }

  @Test
  void the_file_shrinks_when_its_records_are_purged() throws IOException {
    long full;
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      fill(store);
      new SqliteFile(file()).execute("PRAGMA wal_checkpoint(TRUNCATE)");
      full = Files.size(file());
      purgeAll(store, new SqliteFile(file()));
    }
    assertThat(Files.size(file())).isLessThan(full / 4);
  }

  @Test
  void a_file_of_an_older_version_is_made_to_shrink_and_forgets_what_it_once_deleted()
      throws Exception {
    makeOld("PRAGMA secure_delete = OFF", "DELETE FROM idempotency_keys");
    assertThat(copies()).isNotEmpty();
    JdbcStore.sqlite(file()).close();
    assertThat(copies()).isEmpty();
    assertThat(new SqliteFile(file()).number("PRAGMA auto_vacuum")).isEqualTo(2);
  }

  /** A full file as they were made before: not to shrink, and not to overwrite what they delete. */
  private void makeOld(String... then) throws Exception {
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      fill(store);
    }
    try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = old.createStatement()) {
      statement.execute("PRAGMA auto_vacuum = NONE");
      statement.execute("VACUUM");
      for (String sql : then) {
        statement.execute(sql);
      }
    }
  }

  @Test
  void a_file_of_an_older_version_that_there_is_no_room_to_rewrite_is_used_as_it_is()
      throws Exception {
    makeOld();
    SQLiteDataSource plain = new SQLiteDataSource();
    plain.setUrl("jdbc:sqlite:" + file());
    ObservedDataSource full = new ObservedDataSource(plain);
    full.onConnect = "PRAGMA max_page_count = 1"; // no more than it has
    SqliteLayout layout = new SqliteLayout(file(), full.asDataSource());
    assertThat(layout.prepare(false)).as("at a start").isTrue();
    assertThatThrownBy(() -> layout.prepare(true)).as("asked for").hasMessageContaining("full");
    assertThat(new SqliteFile(file()).number("PRAGMA auto_vacuum")).isZero();
    assertThat(new SqliteFile(file()).number("SELECT count(*) FROM idempotency_keys"))
        .isEqualTo(RECORDS);
  }

  @Test
  void no_other_user_may_read_its_files() throws IOException {
    assumeFilesHaveModes();
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      claim(store, 1);
      assertThat(permissions()).hasSize(3).allSatisfy((name, who) -> assertOwnerOnly(who));
    }
    assertThat(permissions()).allSatisfy((name, who) -> assertOwnerOnly(who));
  }

  @Test
  void files_that_others_could_read_are_closed_to_them() throws IOException {
    assumeFilesHaveModes();
    JdbcStore.sqlite(file()).close();
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      claim(store, 1);
      assertThat(permissions()).hasSize(3).allSatisfy((name, who) -> assertOwnerOnly(who));
    }
  }

  @Test
  void its_log_and_its_index_are_closed_to_others_too() throws IOException {
    assumeFilesHaveModes();
    try (JdbcStore before = JdbcStore.sqlite(file())) {
      claim(before, 1);
      for (String name : permissions().keySet()) {
        Path open = folder.resolve(name);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
      }
      try (JdbcStore store = JdbcStore.sqlite(file())) {
        claim(store, 2);
        assertThat(permissions()).hasSize(3).allSatisfy((name, who) -> assertOwnerOnly(who));
      }
    }
  }

  /** Whoever could open it then would read it for ever. */
  @Test
  void no_other_user_may_read_it_even_in_its_first_moment() throws IOException {
    assumeFilesHaveModes();
    Files.createDirectory(folder.resolve("once.db-wal")); // SQLite opens the file, and fails
    assertThatThrownBy(() -> JdbcStore.sqlite(file())).isInstanceOf(StoreException.class);
    assertThat(permissions()).containsEntry("once.db", "rw-------");
  }

  @Test
  void a_database_of_an_application_is_left_as_it_is() throws Exception {
    assumeFilesHaveModes();
    try (Connection own = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = own.createStatement()) {
      statement.execute("CREATE TABLE orders (number TEXT)");
    }
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-rw-r--"));
    JdbcStore.migrateSqlite(file());
    try (JdbcStore store = JdbcStore.sqlite(file())) {
      claim(store, 1);
    }
    assertThat(permissions()).containsValue("rw-rw-r--");
    assertThat(new SqliteFile(file()).number("PRAGMA auto_vacuum")).isZero();
  }

  private static void assertOwnerOnly(String permissions) {
    assertThat(permissions).isEqualTo("rw-------");
  }

  private Map<String, String> permissions() throws IOException {
    Map<String, String> permissions = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        permissions.put(
            file.getFileName().toString(),
            PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      }
    }
    return permissions;
  }

  private void assumeFilesHaveModes() throws IOException {
    assumeTrue(
        Files.getFileStore(folder).supportsFileAttributeView("posix"), "files have no modes here");
  }
}
