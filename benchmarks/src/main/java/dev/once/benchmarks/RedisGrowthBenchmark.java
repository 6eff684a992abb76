package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.Lease;
import dev.once.stores.redis.RedisStore;
import dev.once.testing.servers.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How long a claim takes among few keys, and among many: two servers in one run, in turns. What is
 * claimed is released, so that the numbers of keys stay. The keys have short answers: 5 million
 * long ones do not fit into the memory of a small machine.
 */
final class RedisGrowthBenchmark {

  private static final int CLAIMS_EACH = 5_000;
  private static final int ROUNDS = 7;
  private static final Answer SHORT = Answer.success(201, Body.of("{}"));

  private static final String FILL =
      """
      for i = ARGV[1] + 1, ARGV[1] + ARGV[2] do
        redis.call('COPY', KEYS[1], 'once:' .. redis.sha1hex(i))
      end
      return 1
      """;

  private RedisGrowthBenchmark() {}

  static void run(Report report) throws Exception {
    int many = Integer.getInteger("keys", 5_000_000);
    try (RedisServer few = filled(10_000);
        RedisServer full = filled(many);
        RedisStore amongFew = RedisStore.open(few.url());
        RedisStore amongMany = RedisStore.open(full.url())) {
      List<Double> ofFew = new ArrayList<>();
      List<Double> ofMany = new ArrayList<>();
      for (int round = -2; round < ROUNDS; round++) {
        double a = ClaimLatency.p99(amongFew, CLAIMS_EACH);
        double b = ClaimLatency.p99(amongMany, CLAIMS_EACH);
        System.out.printf("round %d: p99 %.0f / %.0f µs%n", round, b, a);
        if (round >= 0) {
          ofFew.add(a);
          ofMany.add(b);
        }
      }
      ofFew.sort(null);
      ofMany.sort(null);
      double a = ofFew.get(ROUNDS / 2);
      double b = ofMany.get(ROUNDS / 2);
      report.add(
          "redis: claim p99 among %d / 10000 keys, 8 threads".formatted(many),
          "%.0f / %.0f µs".formatted(b, a),
          b / a,
          "<= 1.5");
    }
  }

  /** With copies of a record that the store itself has written. */
  private static RedisServer filled(int keys) throws Exception {
    RedisServer server = RedisServer.start("save ''", "maxmemory-policy noeviction");
    OperationId id = Sample.id(new SplittableRandom(1));
    try (RedisStore store = RedisStore.open(server.url())) {
      Claim claim = store.claim(RedisBenchmark.request(id)).toCompletableFuture().join();
      Lease lease = ((Claim.Granted) claim).lease();
      store.complete(lease, SHORT, Policy.DEFAULT.retention()).toCompletableFuture().join();
    }
    String record = new String(RedisBenchmark.key("once:", id), StandardCharsets.US_ASCII);
    int batch = 10_000;
    for (int from = 0; from < keys; from += batch) {
      int some = Math.min(batch, keys - from);
      server.command("EVAL", FILL, "1", record, Integer.toString(from), Integer.toString(some));
    }
    return server;
  }
}
