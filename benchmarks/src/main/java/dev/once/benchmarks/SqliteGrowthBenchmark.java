package dev.once.benchmarks;

import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.spi.AnswerCodec;
import dev.once.stores.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** How long a claim takes on SQLite among few rows, and among many. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Threads(8)
@Fork(1)
@Warmup(iterations = 5, time = 4)
@Measurement(iterations = 5, time = 6)
public class SqliteGrowthBenchmark {

  private static final int ROWS_PER_COMMIT = 100_000;

  @Param({"10000", "5000000"})
  private int stored;

  private Path folder;
  private JdbcStore store;

  @Setup
  public void fill() throws Exception {
    folder = Folders.create();
    Path file = folder.resolve("once.db");
    JdbcStore.sqlite(file).close();
    fill(file);
    store = JdbcStore.sqlite(file);
  }

  /** In the order of the ids, which is fast, and as good as any: claims come at random. */
  private void fill(Path file) throws SQLException {
    byte[] answer = AnswerCodec.encode(Sample.ANSWER);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      String sql =
          """
          WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
          INSERT INTO idempotency_keys (id, tenant, user_id, route, key, request_hash, token, fence,
              attempt, status, code, created_at, lease_until, completed_at, ttl_at, response_body)
          SELECT unhex(format('%016x', i * (9223372036854775807 / ?))) || randomblob(24),
              'acme', 'alice', '', randomblob(36), randomblob(33), random(), i + 1, 1, 'done', 201,
              t, t, t, t + 86400000 + i, ?
            FROM n, (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS t)
          """;
      try (PreparedStatement insert = connection.prepareStatement(sql)) {
        for (int from = 0; from < stored; from += ROWS_PER_COMMIT) {
          insert.setInt(1, from);
          insert.setInt(2, Math.min(stored, from + ROWS_PER_COMMIT));
          insert.setInt(3, stored);
          insert.setBytes(4, answer);
          insert.executeUpdate();
          connection.commit();
        }
      }
      statement.execute("UPDATE once_meta SET value = " + stored + " WHERE name = 'fence'");
      connection.commit();
    }
  }

  @TearDown
  public void close() throws IOException {
    store.close();
    Folders.delete(folder);
  }

  @Benchmark
  public Object claim() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    ClaimRequest request =
        new ClaimRequest(
            Sample.id(new SplittableRandom(random.nextLong())),
            Sample.FINGERPRINT,
            random.nextLong(),
            Policy.DEFAULT.lease(),
            Policy.DEFAULT.retention(),
            false);
    return (Claim.Granted) store.claim(request).toCompletableFuture().join();
  }
}
