package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sqlite.SQLiteErrorCode.SQLITE_CORRUPT;
import static org.sqlite.SQLiteErrorCode.SQLITE_FULL;
import static org.sqlite.SQLiteErrorCode.SQLITE_IOERR;
import static org.sqlite.SQLiteErrorCode.SQLITE_IOERR_WRITE;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.OutOfRoomException;
import dev.once.core.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BadDatabaseTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  @TempDir private Path folder;

  private static Operation pay(String key) {
    return pay(key, Policy.DEFAULT);
  }

  private static Operation pay(String key, Policy policy) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), policy);
  }

  private static Reason reason(Result result) {
    return ((Result.Refused) result).refusal().reason();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void a_folder_that_does_not_exist_is_named() {
    assertThatThrownBy(() -> JdbcStore.sqlite(folder.resolve("missing/once.db")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("missing");
  }

  @Test
  void a_file_that_is_no_database_is_refused_and_left_alone() throws Exception {
    Path file = Files.writeString(folder.resolve("letter.txt"), "Dear Sir or Madam, ".repeat(100));
    assertThatThrownBy(() -> JdbcStore.sqlite(file))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("not a SQLite database");
    assertThat(Files.readString(file)).startsWith("Dear Sir");
  }

  @Test
  void a_file_that_cannot_be_written_is_refused() {
    Path file = folder.resolve("once.db");
    JdbcStore.sqlite(file).close();
    new SqliteFile(file).execute("DROP TABLE idempotency_keys; ");
    new SqliteFile(file).execute("DROP TABLE once_meta");
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    SQLiteDataSource readOnly = new SQLiteDataSource(config);
    readOnly.setUrl("jdbc:sqlite:" + file);
    assertThatThrownBy(() -> JdbcStore.sqlite(readOnly, new SqliteDialect(file)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot be written");
  }

  @Test
  void a_database_of_a_newer_version_is_refused_and_left_alone() {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    JdbcStore.sqlite(file.path()).close();
    file.execute("UPDATE once_meta SET value = 2 WHERE name = 'schema'");
    assertThatThrownBy(() -> JdbcStore.sqlite(file.path()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("schema version 2 (expected: at most 1)");
    assertThat(file.number("SELECT value FROM once_meta WHERE name = 'schema'")).isEqualTo(2);
  }

  @Test
  void the_tables_can_live_in_a_database_that_has_others() {
    SqliteFile file = new SqliteFile(folder.resolve("shop.db"));
    file.execute("CREATE TABLE orders (id INTEGER)");
    file.execute("PRAGMA user_version = 7");
    JdbcStore.sqlite(file.path()).close();
    assertThat(file.number("PRAGMA user_version")).isEqualTo(7);
  }

  @Test
  void a_record_of_a_newer_format_is_refused_and_the_others_go_on() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    try (JdbcStore store = JdbcStore.sqlite(file.path());
        Once once = Once.on(store)) {
      once.run(pay("key"), execution -> PAID);
      file.execute("UPDATE idempotency_keys SET response_body = x'7f00'");
      assertThatThrownBy(() -> join(store.claim(request("key"))))
          .hasMessageContaining("format 127 (expected: 1 or 2)");
      assertThat(reason(once.run(pay("key"), execution -> PAID))).isEqualTo(Reason.OUTCOME_UNKNOWN);
      assertThat(once.run(pay("other"), execution -> PAID)).isInstanceOf(Result.Executed.class);
    }
  }

  @Test
  void a_damaged_record_is_refused_and_never_run_again() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    try (JdbcStore store = JdbcStore.sqlite(file.path());
        Once once = Once.on(store)) {
      once.run(pay("key"), execution -> PAID);
      for (String damage :
          new String[] {"NULL", "x''", "x'01'", "x'0200000100ffff'", "x'02ffffffff00'"}) {
        file.execute("UPDATE idempotency_keys SET response_body = " + damage);
        assertThat(reason(once.run(pay("key"), execution -> PAID)))
            .isEqualTo(Reason.OUTCOME_UNKNOWN);
      }
      file.execute("UPDATE idempotency_keys SET request_hash = x'01'");
      assertThat(reason(once.run(pay("key"), execution -> PAID))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    }
  }

  private static ClaimRequest request(String key) {
    Operation operation = pay(key);
    return new ClaimRequest(
        operation.id(),
        operation.fingerprint(),
        7,
        operation.policy().lease(),
        operation.policy().retention(),
        false);
  }

  @Test
  void a_locked_database_refuses_and_recovers_by_itself() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    try (JdbcStore store = JdbcStore.sqlite(file.path());
        Once once = Once.on(store);
        Once impatient = Once.builder(store).storeTimeout(Duration.ofMillis(200)).build()) {
      once.run(pay("before"), execution -> PAID);
      try (Connection other = file.connection();
          Statement statement = other.createStatement()) {
        statement.execute("BEGIN EXCLUSIVE");
        assertThat(reason(impatient.run(pay("key"), execution -> PAID)))
            .isEqualTo(Reason.STORE_DOWN);
        assertThat(once.run(pay("before"), execution -> PAID))
            .as("a replay needs no lock")
            .isEqualTo(new Result.Replayed(PAID));
        statement.execute("ROLLBACK");
      }
      assertRunsSoon(once, "key");
    }
  }

  @Test
  void a_lock_that_lasts_is_reported_with_what_to_do() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    try (JdbcStore store = JdbcStore.sqlite(file.path());
        Connection other = file.connection();
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN EXCLUSIVE");
      assertThatThrownBy(() -> join(store.claim(request("key"))))
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining("another process has held the file");
      statement.execute("ROLLBACK");
      assertThat(join(store.claim(request("key")))).isInstanceOf(Claim.Granted.class);
    }
  }

  @Test
  void a_full_disk_loses_nothing_and_recovers_when_there_is_room() throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    ObservedDataSource disk = file.observed();
    Policy briefly = Policy.DEFAULT.with(policy -> policy.lease(Duration.ofSeconds(1)));
    disk.onConnect = "PRAGMA max_page_count = 50"; // fails a write just as a full disk does
    try (JdbcStore store = JdbcStore.sqlite(disk.asDataSource(), file.dialect());
        Once once = Once.on(store)) {
      int runs = 0;
      Result result;
      do {
        result = once.run(pay("filling " + runs++, briefly), execution -> PAID);
      } while (result instanceof Result.Executed && runs < 10_000);
      assertThat(reason(result)).isIn(Reason.STORE_DOWN, Reason.OUTCOME_UNKNOWN);
      assertThat(runs).isGreaterThan(10);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  join(store.claim(request("key " + i)));
                }
              })
          .hasMessageContaining("full: make room");
      assertThat(once.run(pay("filling 0"), execution -> PAID))
          .isEqualTo(new Result.Replayed(PAID));
      disk.onConnect = "PRAGMA max_page_count = 1000";
      assertRunsSoon(once, "after");
      for (int i = 0; i < runs - 1; i++) {
        assertThat(once.run(pay("filling " + i), execution -> PAID))
            .isEqualTo(new Result.Replayed(PAID));
      }
    }
  }

  /** Claims of the time of trouble may still be in the queue, or be withdrawn just now. */
  private static void assertRunsSoon(Once once, String key) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    Result result;
    do {
      result = once.run(pay(key), execution -> PAID);
    } while (result instanceof Result.Refused && System.nanoTime() - deadline < 0);
    assertThat(result).isEqualTo(new Result.Executed(PAID, true));
  }

  /** Only then is nothing claimed until there is room. */
  @Test
  void a_full_disk_is_told_from_other_failures() {
    SqliteDialect sqlite = new SqliteDialect(folder.resolve("once.db"));
    for (SQLiteErrorCode full : List.of(SQLITE_FULL, SQLITE_IOERR, SQLITE_IOERR_WRITE)) {
      assertThat(sqlite.explain("recording", new SQLiteException("no", full)))
          .isInstanceOf(OutOfRoomException.class);
    }
    assertThat(sqlite.explain("recording", new SQLiteException("no", SQLITE_CORRUPT)))
        .isNotInstanceOf(OutOfRoomException.class);
    Dialect postgres = new PostgresDialect();
    assertThat(postgres.explain("recording", new SQLException("no", "53100")))
        .isInstanceOf(OutOfRoomException.class);
    assertThat(postgres.explain("opening", new SQLException("no password", "08004")))
        .hasMessageContaining("(the server refuses this login: does it want a password?)");
    assertThat(postgres.explain("recording", new SQLException("no", "53300")))
        .isNotInstanceOf(OutOfRoomException.class);
    Dialect mariadb = new MariaDbDialect();
    for (int full : new int[] {1021, 1114, 3}) {
      assertThat(mariadb.explain("recording", new SQLException("no", "HY000", full)))
          .isInstanceOf(OutOfRoomException.class);
    }
    assertThat(mariadb.explain("recording", new SQLException("no", "HY000", 1040)))
        .isNotInstanceOf(OutOfRoomException.class);
  }

  @Test
  void a_new_file_that_another_is_writing_is_waited_for() throws Exception {
    Path file = folder.resolve("once.db");
    CompletableFuture<Void> opened = new CompletableFuture<>();
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      Thread opener = new Thread(() -> open(file, opened), "opener");
      opener.start();
      while (!opened.isDone() && opener.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      statement.execute("ROLLBACK");
    }
    opened.get();
  }

  private static void open(Path file, CompletableFuture<Void> opened) {
    try {
      JdbcStore.sqlite(file).close();
      opened.complete(null);
    } catch (Throwable e) {
      opened.completeExceptionally(e);
    }
  }

  @Test
  void many_may_open_a_new_file_at_once() throws Exception {
    ExecutorService openers = Executors.newFixedThreadPool(6);
    try {
      for (int round = 0; round < 50; round++) {
        Path file = folder.resolve("once-" + round + ".db");
        Callable<JdbcStore> open = () -> JdbcStore.sqlite(file);
        for (Future<JdbcStore> store : openers.invokeAll(Collections.nCopies(6, open))) {
          store.get().close();
        }
      }
    } finally {
      openers.shutdown();
    }
  }

  @Test
  void a_store_whose_disk_is_gone_can_be_closed() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    JdbcStore store = JdbcStore.sqlite(disk.resolve("once.db"));
    try (Stream<Path> files = Files.list(disk)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(disk);
    CompletionStage<Integer> purged = store.purgeExpired(10);
    store.close();
    assertThatThrownBy(() -> join(purged)).hasCauseInstanceOf(StoreException.class);
    assertThatThrownBy(() -> join(store.claim(request("key")))).hasMessageContaining("closed");
  }
}
