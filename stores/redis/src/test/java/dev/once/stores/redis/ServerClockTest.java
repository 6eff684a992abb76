package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.complete;
import static dev.once.stores.redis.StoreSteps.granted;
import static dev.once.stores.redis.StoreSteps.id;
import static dev.once.stores.redis.StoreSteps.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/**
 * A failover to a server whose clock is behind. No server here has a wrong clock: a record's fence
 * is moved ahead instead, as an old master whose clock was ahead would have written it.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ServerClockTest {

  private static final String MOVE_FENCE_AHEAD =
      """
      local state = redis.call('HGET', KEYS[1], 'state')
      local fence = string.format('%016.0f', string.sub(state, 2, 17) + ARGV[1])
      redis.call('HSET', KEYS[1], 'state', '1' .. fence .. string.sub(state, 18))
      """;

  private static final Duration AHEAD = Duration.ofHours(1);

  private static RedisServer server;

  @BeforeAll
  static void start() throws Exception {
    server = RedisServer.start("save \"\"");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void empty() throws Exception {
    server.command("FLUSHALL");
  }

  /** What the old master granted: its clock is ahead. */
  private static Lease grantedByTheOldMaster(RedisStore store, String key) throws Exception {
    ClaimRequest request = request(key);
    granted(store, request);
    String micros = Long.toString(AHEAD.toNanos() / 1000);
    server.command("EVAL", MOVE_FENCE_AHEAD, "1", server.command("KEYS", "once:*").strip(), micros);
    return granted(store, request); // its reply was lost: it is given again
  }

  @Test
  void a_process_is_given_no_lower_fence_than_it_has_seen() throws Exception {
    try (RedisStore store = RedisStore.open(server.url())) {
      Lease before = grantedByTheOldMaster(store, "a");
      await(store.release(before));

      Lease after = granted(store, "a");

      assertThat(after.fence()).isGreaterThan(before.fence());
      assertThat(await(store.release(before))).as("the late owner's").isFalse();
      assertThat(complete(store, after)).isTrue();
    }
  }

  @Test
  void nor_one_that_its_look_at_a_record_has_shown() throws Exception {
    try (RedisStore store = RedisStore.open(server.url());
        RedisStore another = RedisStore.open(server.url())) {
      Lease before = grantedByTheOldMaster(store, "a");
      await(another.find(id("a")));
      await(another.forceRelease(id("a"), before.fence()));

      assertThat(granted(another, "a").fence()).isGreaterThan(before.fence());
    }
  }

  @Test
  void nor_when_it_takes_a_crashed_key_over() throws Exception {
    try (RedisStore store = RedisStore.open(server.url())) {
      Lease before = grantedByTheOldMaster(store, "a");
      await(store.release(before));
      Duration moment = Duration.ofMillis(1);
      granted(store, request("a", moment, true));

      Lease taken =
          StoreSteps.eventually(() -> granted(store, request("a", Duration.ofMinutes(5), true)));

      assertThat(taken.attempt()).isEqualTo(2);
      assertThat(taken.fence()).isGreaterThan(before.fence());
    }
  }

  @Test
  void its_lease_begins_by_the_servers_clock_whatever_its_fence() throws Exception {
    try (RedisStore store = RedisStore.open(server.url())) {
      await(store.release(grantedByTheOldMaster(store, "a")));
      long now = Long.parseLong(server.command("TIME").lines().findFirst().orElseThrow());

      granted(store, request("a", Duration.ofSeconds(100), false));

      long ends = await(store.find(id("a"))).orElseThrow().leaseEnds().getEpochSecond();
      assertThat(ends - now).isBetween(100L, AHEAD.toSeconds());
    }
  }
}
