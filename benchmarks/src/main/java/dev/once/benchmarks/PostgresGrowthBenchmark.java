package dev.once.benchmarks;

import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How long a claim takes among few rows, among many, and while expired ones are purged: two
 * databases of one server, in turns. The rows have short answers.
 */
final class PostgresGrowthBenchmark {

  private static final int FEW = 10_000;
  private static final int CLAIMS_EACH = 1_000;
  private static final int ROUNDS = 7;
  private static final int PURGED_AT_ONCE = 500;
  private static final long PAUSE_MILLIS = 20; // as the engine has it

  private PostgresGrowthBenchmark() {}

  static void run(Report report) throws Exception {
    int many = Integer.getInteger("keys", 5_000_000);
    int expired = Integer.getInteger("expired", 1_000_000);
    try (PostgresServer server =
        PostgresServer.start(
            Map.of("max_wal_size", "8GB", "shared_buffers", "1GB"), Folders.create())) {
      String few = filled(server, FEW, 0);
      String full = filled(server, many, expired);
      try (JdbcStore amongFew = JdbcStore.open(few);
          JdbcStore amongMany = JdbcStore.open(full)) {
        double small = compare(report, amongFew, amongMany, many);
        purge(report, amongMany, small);
      }
    }
  }

  private static double compare(Report report, JdbcStore amongFew, JdbcStore amongMany, int many)
      throws InterruptedException {
    List<Double> ofFew = new ArrayList<>();
    List<Double> ofMany = new ArrayList<>();
    for (int round = -3; round < ROUNDS; round++) {
      double a = ClaimLatency.p99(amongFew, CLAIMS_EACH);
      double b = ClaimLatency.p99(amongMany, CLAIMS_EACH);
      System.out.printf("round %d: p99 %.0f / %.0f µs%n", round, b, a);
      if (round >= 0) {
        ofFew.add(a);
        ofMany.add(b);
      }
    }
    double a = Windows.median(ofFew);
    double b = Windows.median(ofMany);
    report.add(
        "postgresql: claim p99 among %d / %d keys, 8 threads".formatted(many, FEW),
        "%.0f / %.0f µs".formatted(b, a),
        b / a,
        "<= 1.5");
    return b;
  }

  private static void purge(Report report, JdbcStore store, double before) throws Exception {
    CompletableFuture<Long> purged = CompletableFuture.supplyAsync(() -> purgeAll(store));
    List<Double> during = new ArrayList<>();
    while (!purged.isDone()) {
      during.add(ClaimLatency.p99(store, CLAIMS_EACH));
    }
    double median = Windows.median(during);
    report.add(
        "postgresql: claim p99 while %d expired keys are purged / before".formatted(purged.join()),
        "%.0f / %.0f µs".formatted(median, before),
        median / before,
        "<= 2");
  }

  private static long purgeAll(JdbcStore store) {
    long sum = 0;
    int purged;
    do {
      purged = store.purgeExpired(PURGED_AT_ONCE).toCompletableFuture().join();
      sum += purged;
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    } while (purged == PURGED_AT_ONCE);
    return sum;
  }

  private static String filled(PostgresServer server, int keys, int expired) throws SQLException {
    String url = server.newDatabase();
    JdbcStore.migrate(url);
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO idempotency_keys (id, tenant, user_id, route, key, request_hash, token, fence,
              attempt, status, code, created_at, lease_until, completed_at, ttl_at, response_body)
            SELECT sha256(int8send(i)), 'acme', 'alice', '', int8send(i), sha256('asked'), i, 1, 1,
                'done', 201, now, now, now,
                now + CASE WHEN i <= %d THEN -600000 + i / 100 ELSE 864000000 + i END,
                sha256('answer')
              FROM generate_series(1, %d) AS i,
                (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now) AS clock
          """
              .formatted(expired, keys));
      statement.execute("VACUUM ANALYZE idempotency_keys");
      statement.execute("CHECKPOINT");
    }
    return url;
  }
}
