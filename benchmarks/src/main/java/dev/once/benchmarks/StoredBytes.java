package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Once;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** What an operation takes on disk, with its answer of 2 KB. */
final class StoredBytes {

  private static final int OPERATIONS = 50_000;
  private static final int ANSWER = ((Body.Full) Sample.ANSWER.body()).bytes().size();

  private StoredBytes() {}

  static void sqlite(Report report) throws IOException {
    Path folder = Folders.create();
    try {
      try (JdbcStore store = JdbcStore.sqlite(folder.resolve("once.db"))) {
        fill(store, Sample.ANSWER);
      }
      report.state(
          "sqlite: bytes on disk per operation, answer of " + ANSWER,
          String.valueOf(Folders.bytes(folder) / OPERATIONS),
          "<= " + (ANSWER / 2 + 300));
    } finally {
      Folders.delete(folder);
    }
  }

  /**
   * On a server that the environment names: that which the build brings for tests would treble the
   * size of the jar.
   */
  static void mariadb(Report report) throws SQLException {
    byte[] noise = new byte[ANSWER];
    new SplittableRandom(3).nextBytes(noise);
    String url = MariaDbServer.shared().newDatabase();
    JdbcStore.migrate(url);
    long compressed = mariadb(url, Sample.ANSWER);
    long asItIs = mariadb(url, Answer.success(201, new Body.Full(Bytes.wrap(noise))));
    report.state(
        "mariadb: bytes of the file per operation, answer of %d: as it comes / compressed"
            .formatted(ANSWER),
        asItIs + " / " + compressed);
  }

  private static long mariadb(String url, Answer answer) throws SQLException {
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("TRUNCATE TABLE idempotency_keys"); // of the answer before
      try (JdbcStore store = JdbcStore.open(url)) {
        fill(store, answer);
      }
      statement.execute("OPTIMIZE TABLE idempotency_keys");
      try (ResultSet row =
          statement.executeQuery(
              "SELECT file_size FROM information_schema.innodb_sys_tablespaces"
                  + " WHERE name = concat(database(), '/idempotency_keys')")) {
        row.next();
        return row.getLong(1) / OPERATIONS;
      }
    }
  }

  private static void fill(Store store, Answer answer) {
    try (Once once = Once.on(store)) {
      SplittableRandom random = new SplittableRandom(1);
      List<CompletableFuture<?>> running = new ArrayList<>();
      for (int i = 0; i < OPERATIONS; i++) {
        running.add(
            once.runAsync(
                    Sample.operation(Sample.id(random)),
                    execution -> CompletableFuture.completedFuture(answer))
                .toCompletableFuture());
        if (running.size() == 1_000) {
          running.forEach(CompletableFuture::join);
          running.clear();
        }
      }
    }
  }
}
