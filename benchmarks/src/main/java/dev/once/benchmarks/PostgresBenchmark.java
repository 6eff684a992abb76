package dev.once.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * First requests and replays on PostgreSQL with durable commits, next to the naive way on the same
 * server: a pool of 16 connections, an INSERT that commits and an UPDATE that commits.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 4)
@Measurement(iterations = 7, time = 4)
public class PostgresBenchmark {

  private PostgresServer server;
  private HikariDataSource pool;
  private JdbcStore store;
  private Once once;
  private Operation known;
  private byte[] body;

  @Setup
  public void open() throws Exception {
    server = PostgresServer.start(Map.of("max_wal_size", "4GB"), Folders.create());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(DatabaseServer.jdbcUrl(server.url()));
    config.setMaximumPoolSize(16);
    pool = new HikariDataSource(config);
    JdbcStore.migrate(pool);
    store = JdbcStore.on(pool);
    once = Once.on(store);
    known = Sample.operation(Sample.id(new SplittableRandom(1)));
    once.run(known, execution -> Sample.ANSWER);
    body = ((Body.Full) Sample.ANSWER.body()).bytes().toArray();
    try (Connection connection = pool.getConnection()) {
      connection
          .createStatement()
          .execute(
              "CREATE TABLE keys (key text PRIMARY KEY, hash bytea, status text, body bytea,"
                  + " created_at timestamptz NOT NULL DEFAULT now())");
    }
    naiveFirst(known);
  }

  @TearDown
  public void close() {
    once.close();
    store.close();
    pool.close();
    server.close();
  }

  private static Operation fresh() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return Sample.operation(Sample.id(new SplittableRandom(random.nextLong())));
  }

  @Benchmark
  public Object first() throws Exception {
    return once.run(fresh(), execution -> Sample.ANSWER);
  }

  @Benchmark
  public void naiveFirst() throws SQLException {
    naiveFirst(fresh());
  }

  private void naiveFirst(Operation operation) throws SQLException {
    String key = operation.id().key().bytes().toUtf8();
    try (Connection connection = pool.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO keys VALUES (?, ?, 'processing', NULL) ON CONFLICT DO NOTHING")) {
      insert.setString(1, key);
      insert.setBytes(2, operation.fingerprint().encoded().toArray());
      insert.executeUpdate();
    }
    try (Connection connection = pool.getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE keys SET status = 'done', body = ? WHERE key = ?")) {
      update.setBytes(1, body);
      update.setString(2, key);
      update.executeUpdate();
    }
  }

  @Benchmark
  public Object replay() {
    return ((Begun.Replay) once.begin(known).toCompletableFuture().join()).answer();
  }

  @Benchmark
  public Object rawSelect() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT hash, status, body FROM keys WHERE key = ?")) {
      select.setString(1, known.id().key().bytes().toUtf8());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getBytes(3);
      }
    }
  }
}
