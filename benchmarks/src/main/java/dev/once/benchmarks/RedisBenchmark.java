package dev.once.benchmarks;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.spi.AnswerCodec;
import dev.once.stores.redis.RedisStore;
import dev.once.testing.servers.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * First requests and replays on Redis, next to the plain client: two scripts that do the same
 * writes and nothing else, and {@code HGETALL} of the same hash. The plain client is Lettuce as it
 * comes, on one connection, with an answer that was encoded before. The store is measured as it
 * comes, which leaves an answer of 2 KB as it is, and with answers compressed.
 */
final class RedisBenchmark implements AutoCloseable {

  private static final int KNOWN = 10_000;

  /** What the store puts before an answer. */
  private static final int HEAD = 14;

  private static final String CLAIM =
      """
      redis.call('HSET', KEYS[1], 'state', ARGV[1])
      redis.call('PEXPIRE', KEYS[1], 86700000)
      return 1
      """;

  private static final String COMPLETE =
      """
      redis.call('HSET', KEYS[1], 'answer', ARGV[1])
      redis.call('PEXPIRE', KEYS[1], 86400000)
      return 1
      """;

  private final RedisServer server;
  private final RedisStore store;
  private final RedisStore compressing;
  private final RedisClient client = RedisClient.create();
  private final RedisCommands<byte[], byte[]> plain;
  private final RedisAsyncCommands<byte[], byte[]> plainAsync;
  private final String claim;
  private final String complete;
  private final byte[] answer = withHead(Sample.ANSWER);
  private final byte[] state = new byte[175]; // as long as the store's
  private final List<OperationId> known = new ArrayList<>();
  private final List<byte[]> knownKeys = new ArrayList<>();

  RedisBenchmark() throws Exception {
    server = RedisServer.start("save ''", "maxmemory-policy noeviction");
    store = RedisStore.open(server.url());
    compressing = RedisStore.open(server.url() + "?compress-from=256&prefix=less:");
    client.setOptions(ClientOptions.create());
    StatefulRedisConnection<byte[], byte[]> connection =
        client.connect(ByteArrayCodec.INSTANCE, RedisURI.create("127.0.0.1", server.port()));
    plain = connection.sync();
    plainAsync = connection.async();
    claim = plain.scriptLoad(CLAIM);
    complete = plain.scriptLoad(COMPLETE);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < KNOWN; i++) {
      OperationId id = Sample.id(random);
      first(store, id).toCompletableFuture().join();
      first(compressing, id).toCompletableFuture().join();
      known.add(id);
      knownKeys.add(key("once:", id));
    }
  }

  void run(Report report) throws Exception {
    Map<String, Double> measured =
        new Windows()
            .blocking("first", () -> first(store))
            .blocking("first, compressed", () -> first(compressing))
            .blocking("plain first", this::plainFirst)
            .blocking("replay", () -> replay(store).toCompletableFuture().join())
            .blocking("replay, compressed", () -> replay(compressing).toCompletableFuture().join())
            .blocking("plain HGETALL", () -> plain.hgetall(anyKey()))
            .inFlight("async first", () -> first(store, fresh()))
            .inFlight("plain async first", this::plainFirstAsync)
            .inFlight("async replay", () -> replay(store))
            .inFlight("plain async HGETALL", () -> plainAsync.hgetall(anyKey()))
            .medians();
    row(
        report,
        measured,
        "64 threads: first request / two plain scripts",
        "first",
        "plain first",
        ">= 0.95");
    row(
        report,
        measured,
        "64 threads: first request, answer compressed / two plain scripts, not compressed",
        "first, compressed",
        "plain first",
        "stated");
    row(
        report,
        measured,
        "64 threads: replay / plain HGETALL",
        "replay",
        "plain HGETALL",
        ">= 0.75");
    row(
        report,
        measured,
        "64 threads: replay, answer compressed / plain HGETALL, not compressed",
        "replay, compressed",
        "plain HGETALL",
        "stated");
    row(
        report,
        measured,
        "64 in flight: first request / two plain scripts",
        "async first",
        "plain async first",
        ">= 0.8");
    row(
        report,
        measured,
        "64 in flight: replay / plain HGETALL",
        "async replay",
        "plain async HGETALL",
        ">= 0.8");
    bytes(report);
  }

  private static void row(
      Report report,
      Map<String, Double> measured,
      String what,
      String ours,
      String plain,
      String goal) {
    double a = measured.getOrDefault(ours, Double.NaN);
    double b = measured.getOrDefault(plain, Double.NaN);
    report.add("redis, " + what, "%.0f / %.0f per s".formatted(a, b), a / b, goal);
  }

  private void bytes(Report report) {
    report.state(
        "redis: bytes of memory per operation, answer of %d with headers: as it comes / compressed"
            .formatted(answer.length - HEAD),
        plain.memoryUsage(knownKeys.get(0))
            + " / "
            + plain.memoryUsage(key("less:", known.get(0))));
  }

  private static OperationId fresh() {
    return Sample.id(new SplittableRandom(ThreadLocalRandom.current().nextLong()));
  }

  static ClaimRequest request(OperationId id) {
    return new ClaimRequest(
        id,
        Sample.FINGERPRINT,
        ThreadLocalRandom.current().nextLong(),
        Policy.DEFAULT.lease(),
        Policy.DEFAULT.retention(),
        false);
  }

  private static void first(RedisStore store) {
    Claim granted = store.claim(request(fresh())).toCompletableFuture().join();
    Lease lease = ((Claim.Granted) granted).lease();
    store.complete(lease, Sample.ANSWER, Policy.DEFAULT.retention()).toCompletableFuture().join();
  }

  private static CompletionStage<Boolean> first(RedisStore store, OperationId id) {
    return store
        .claim(request(id))
        .thenCompose(
            granted -> {
              Lease lease = ((Claim.Granted) granted).lease();
              return store.complete(lease, Sample.ANSWER, Policy.DEFAULT.retention());
            });
  }

  private CompletionStage<Claim> replay(RedisStore store) {
    return store.claim(request(known.get(ThreadLocalRandom.current().nextInt(KNOWN))));
  }

  private byte[] anyKey() {
    return knownKeys.get(ThreadLocalRandom.current().nextInt(KNOWN));
  }

  private static byte[] withHead(Answer answer) {
    byte[] encoded = AnswerCodec.encode(answer, Integer.MAX_VALUE);
    return ByteBuffer.allocate(HEAD + encoded.length).put(HEAD, encoded).array();
  }

  private void plainFirst() {
    byte[][] key = {key("raw:", fresh())};
    Long claimed = plain.evalsha(claim, ScriptOutputType.INTEGER, key, state);
    Long completed = plain.evalsha(complete, ScriptOutputType.INTEGER, key, answer);
    if (claimed + completed != 2) {
      throw new IllegalStateException("not written");
    }
  }

  private CompletionStage<?> plainFirstAsync() {
    byte[][] key = {key("raw:", fresh())};
    return plainAsync
        .<Long>evalsha(claim, ScriptOutputType.INTEGER, key, state)
        .thenCompose(
            any -> plainAsync.<Long>evalsha(complete, ScriptOutputType.INTEGER, key, answer));
  }

  static byte[] key(String prefix, OperationId id) {
    String digest = Base64.getUrlEncoder().withoutPadding().encodeToString(id.digest().toArray());
    return (prefix + digest).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws Exception {
    store.close();
    compressing.close();
    client.shutdown();
    server.close();
  }
}
