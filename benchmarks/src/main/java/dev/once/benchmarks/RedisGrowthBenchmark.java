package dev.once.benchmarks;

import dev.once.stores.redis.RedisStore;
import dev.once.testing.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;

/**
 * How long a claim takes among few keys, and among many: two servers in one run, in turns. What is
 * claimed is released, so that the numbers of keys stay. The keys have short answers: 5 million
 * long ones do not fit into the memory of a small machine.
 */
final class RedisGrowthBenchmark {

  private static final int CLAIMS_EACH = 5_000;
  private static final int ROUNDS = 7;

  private static final String FILL =
      """
      for i = ARGV[1] + 1, ARGV[1] + ARGV[2] do
        local key = 'once:' .. redis.sha1hex(i)
        redis.call('HSET', key, 'state', '1 d 1790000000000000 1 -1234567890123456789 '
            .. '1790000000000 1790000300000 1890000000000 1790000000001 ' .. ARGV[3] .. key,
            'answer', ARGV[3])
        redis.call('PEXPIRE', key, 86400000 + i)
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

  private static RedisServer filled(int keys) throws Exception {
    RedisServer server = RedisServer.start("save ''", "maxmemory-policy noeviction");
    int batch = 10_000;
    for (int from = 0; from < keys; from += batch) {
      server.command(
          "EVAL", FILL, "0", "" + from, "" + Math.min(batch, keys - from), "x".repeat(33));
    }
    return server;
  }
}
