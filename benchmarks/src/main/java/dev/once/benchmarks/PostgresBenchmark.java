package dev.once.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.Body;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Result;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * First requests and replays on PostgreSQL with durable commits, next to the naive way on the same
 * server and the same pool of 16 connections: an INSERT that commits and an UPDATE that commits;
 * and a SELECT by the key. Replays are of keys taken at random, and of one key by all callers.
 */
final class PostgresBenchmark implements AutoCloseable {

  private static final int CONNECTIONS = 16;
  private static final int KNOWN = 10_000;
  private static final int FILLERS = 64;

  private final PostgresServer server;
  private final HikariDataSource pool;
  private final JdbcStore store;
  private final Once once;
  private final List<Operation> known = known();
  private final byte[] body = ((Body.Full) Sample.ANSWER.body()).bytes().toArray();

  PostgresBenchmark() throws Exception {
    server = PostgresServer.start(Map.of("max_wal_size", "4GB"), Folders.create());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(DatabaseServer.jdbcUrl(server.url()));
    config.setMaximumPoolSize(CONNECTIONS);
    pool = new HikariDataSource(config);
    JdbcStore.migrate(pool);
    store = JdbcStore.on(pool);
    once = Once.on(store);
    execute(
        "CREATE TABLE keys (key text PRIMARY KEY, hash bytea, status text, body bytea,"
            + " created_at timestamptz NOT NULL DEFAULT now())");
    fill();
  }

  private static List<Operation> known() {
    SplittableRandom random = new SplittableRandom(1);
    return Stream.generate(() -> Sample.operation(Sample.id(random))).limit(KNOWN).toList();
  }

  private void fill() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(FILLERS);
    List<Callable<Result>> requests = new ArrayList<>();
    for (Operation operation : known) {
      requests.add(
          () -> {
            naiveFirst(operation);
            return first(operation);
          });
    }
    for (Future<Result> result : threads.invokeAll(requests)) {
      result.get();
    }
    threads.shutdown();
  }

  private Result first(Operation operation) throws Exception {
    return once.run(operation, execution -> Sample.ANSWER);
  }

  void run(Report report) throws Exception {
    Map<String, List<Double>> measured =
        new Windows()
            .blocking("first", () -> first(fresh()))
            .blocking("naive first", () -> naiveFirst(fresh()))
            .blocking("replay", () -> replay(any()))
            .blocking("select", () -> select(any()))
            .blocking("replay, one key", () -> replay(known.get(0)))
            .blocking("select, one key", () -> select(known.get(0)))
            .blocking("first, alone", 1, () -> first(fresh()))
            .blocking("naive first, alone", 1, () -> naiveFirst(fresh()))
            .blocking("replay, alone", 1, () -> replay(any()))
            .blocking("select, alone", 1, () -> select(any()))
            .measure();
    row(report, measured, "64 threads: first request / naive", "first", "naive first", ">= 2.5");
    List<Double> firsts = windows(measured, "first");
    report.add(
        "postgresql, 64 threads: slowest window / median of first requests",
        "%.0f / %.0f per s".formatted(Collections.min(firsts), Windows.median(firsts)),
        Collections.min(firsts) / Windows.median(firsts),
        ">= 0.8");
    row(report, measured, "64 threads: replay / select by key", "replay", "select", ">= 0.85");
    row(
        report,
        measured,
        "64 threads: replay / select by key, all of one key",
        "replay, one key",
        "select, one key",
        "stated");
    row(
        report,
        measured,
        "1 thread: first request / naive",
        "first, alone",
        "naive first, alone",
        ">= 0.95");
    row(
        report,
        measured,
        "1 thread: replay / select by key",
        "replay, alone",
        "select, alone",
        "stated");
    bytes(report);
  }

  private static List<Double> windows(Map<String, List<Double>> measured, String name) {
    return measured.getOrDefault(name, List.of());
  }

  private static void row(
      Report report,
      Map<String, List<Double>> measured,
      String what,
      String ours,
      String plain,
      String goal) {
    double a = Windows.median(windows(measured, ours));
    double b = Windows.median(windows(measured, plain));
    report.add("postgresql, " + what, "%.0f / %.0f per s".formatted(a, b), a / b, goal);
  }

  private static Operation fresh() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return Sample.operation(Sample.id(new SplittableRandom(random.nextLong())));
  }

  private Operation any() {
    return known.get(ThreadLocalRandom.current().nextInt(KNOWN));
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

  private void replay(Operation operation) throws Exception {
    if (!(first(operation) instanceof Result.Replayed)) {
      throw new IllegalStateException("not a replay");
    }
  }

  private void select(Operation operation) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT hash, status, body FROM keys WHERE key = ?")) {
      select.setString(1, operation.id().key().bytes().toUtf8());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getBytes(3);
      }
    }
  }

  /** Of the table with its indexes and what is stored apart, after a vacuum. */
  private void bytes(Report report) throws SQLException {
    execute("VACUUM FULL idempotency_keys");
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT pg_total_relation_size('idempotency_keys') / count(*),"
                    + " avg(length(response_body))::int FROM idempotency_keys")) {
      row.next();
      report.state(
          "postgresql: bytes per operation, answer of %d: all / of them the answer"
              .formatted(body.length),
          row.getLong(1) + " / " + row.getLong(2));
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() {
    once.close();
    store.close();
    pool.close();
    server.close();
  }
}
