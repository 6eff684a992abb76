package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.stores.redis.RedisCache;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** A Redis without room for more, in front of a database. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class FullRedisTest {

  private static final OperationId ID = new OperationId(Scope.GLOBAL, Key.of("key"));
  private static final Fingerprint ASKED = Fingerprint.of("one");
  private static final Answer ANSWER = Answer.success(201, Body.of("seven"));
  private static final Duration DAY = Duration.ofDays(1);

  private RedisServer redis;
  private AwaitedPuts cache;
  private TieredStore store;
  private long tokens;

  @BeforeEach
  void open() throws Exception {
    redis = RedisServer.start("save \"\"", "maxmemory-policy noeviction");
    cache = new AwaitedPuts(RedisCache.open(redis.url()));
    store =
        TieredStore.cached(
            new MemoryStore(InstantSource.system(), 1000, 1_000_000),
            cache,
            TieredSettings.forCache().withTimeout(Duration.ofSeconds(30)));
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    redis.close();
  }

  private Claim claim() {
    return await(
        store.claim(new ClaimRequest(ID, ASKED, ++tokens, Duration.ofMinutes(5), DAY, false)));
  }

  private Lease granted() {
    return ((Claim.Granted) claim()).lease();
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private void fill() throws Exception {
    redis.command("CONFIG", "SET", "maxmemory", "1mb");
    assertThat(redis.command("SET", "more", "x")).startsWith("-OOM");
  }

  @Test
  void is_told_of_a_release_by_a_person_and_does_not_replay_the_answer() throws Exception {
    Lease lease = granted();
    await(store.complete(lease, ANSWER, DAY));
    cache.await();
    assertThat(claim()).isEqualTo(new Claim.Finished(ASKED, ANSWER));
    fill();

    assertThat(await(store.inspection().forceRelease(ID, lease.fence()))).isTrue();

    assertThat(claim()).isInstanceOf(Claim.Granted.class);
  }

  @Test
  void is_told_so_also_if_it_has_no_answer_yet_for_one_may_be_under_way() throws Exception {
    Lease lease = granted();
    fill();

    await(store.inspection().forceRelease(ID, lease.fence()));

    assertThat(redis.command("DBSIZE")).isEqualTo("1");
  }

  @Test
  void takes_no_answer_and_the_database_replays_it() throws Exception {
    Lease lease = granted();
    fill();

    assertThat(await(store.complete(lease, ANSWER, DAY))).isTrue();

    assertThat(claim()).isEqualTo(new Claim.Finished(ASKED, ANSWER));
    assertThat(redis.command("DBSIZE")).isEqualTo("0");
  }
}
