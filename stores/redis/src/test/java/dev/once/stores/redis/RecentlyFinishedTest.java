package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.ASKED;
import static dev.once.stores.redis.StoreSteps.LEASE;
import static dev.once.stores.redis.StoreSteps.PAID;
import static dev.once.stores.redis.StoreSteps.RETENTION;
import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.finished;
import static dev.once.stores.redis.StoreSteps.granted;
import static dev.once.stores.redis.StoreSteps.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fingerprint;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** What a process remembers of operations that have ended, and what it makes of it. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RecentlyFinishedTest {

  private static final int MANY = 100_000;

  private static RedisServer server;

  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1); // it may overflow
  private final RecentlyFinished ended = new RecentlyFinished(nanoTime::get);

  @BeforeAll
  static void startServer() throws Exception {
    server = RedisServer.start();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void empty() throws Exception {
    server.command("FLUSHALL");
  }

  @Test
  void what_was_remembered_holds_as_long_as_the_answer_is_kept() {
    ended.remember(id("a"), Duration.ofSeconds(10));
    assertThat(ended.has(id("a"))).isTrue();
    assertThat(ended.has(id("b"))).isFalse();

    nanoTime.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(ended.has(id("a"))).isTrue();

    nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(ended.has(id("a"))).isFalse();

    ended.remember(id("a"), Duration.ofSeconds(1));
    assertThat(ended.has(id("a"))).isTrue();

    ended.forget(id("a"));
    assertThat(ended.has(id("a"))).isFalse();
  }

  @Test
  void the_longest_retention_is_remembered_too() {
    ended.remember(id("a"), Duration.ofDays(3650));
    nanoTime.addAndGet(Duration.ofDays(365).toNanos());
    assertThat(ended.has(id("a"))).isTrue();
    assertThat(ended.has(id("b"))).isFalse();
  }

  @Test
  void of_more_than_there_is_room_for_the_latest_are_remembered() {
    for (int i = 0; i < MANY; i++) {
      ended.remember(id("key " + i), RETENTION);
      assertThat(ended.has(id("key " + i))).isTrue();
    }
    int latest = 0;
    for (int i = MANY - 10_000; i < MANY; i++) {
      latest += ended.has(id("key " + i)) ? 1 : 0;
    }
    assertThat(latest).isGreaterThan(9_900);
    assertThat(ended.has(id("key 0"))).isFalse();
  }

  @Test
  void who_has_seen_it_end_replays_it_by_a_plain_read_and_others_by_the_script() throws Exception {
    try (Store owner = RedisStore.open(server.url());
        Store other = RedisStore.open(server.url())) {
      finished(owner, "a");
      long scripts = calls("evalsha");
      long reads = calls("hmget");

      assertReplays(owner, "a");
      assertReplays(owner, "a");
      assertThat(calls("evalsha")).isEqualTo(scripts);
      assertThat(calls("hmget")).isEqualTo(reads + 2);

      assertReplays(other, "a");
      assertThat(calls("evalsha")).isEqualTo(scripts + 1);
      assertReplays(other, "a");
      assertThat(calls("evalsha")).isEqualTo(scripts + 1);
      assertThat(calls("hmget")).isEqualTo(reads + 3);
    }
  }

  @Test
  void both_ways_tell_the_fingerprint_that_is_stored() {
    Fingerprint another = Fingerprint.of("POST", "/payments", "{\"more\":1}");
    try (Store owner = RedisStore.open(server.url());
        Store other = RedisStore.open(server.url())) {
      finished(owner, "a");
      ClaimRequest request = new ClaimRequest(id("a"), another, 1, LEASE, RETENTION, false);

      assertThat(await(owner.claim(request))).isEqualTo(new Claim.Finished(ASKED, PAID));
      assertThat(await(other.claim(request))).isEqualTo(new Claim.Finished(ASKED, PAID));
    }
  }

  @Test
  void what_is_remembered_and_was_released_elsewhere_is_granted() {
    try (Store owner = RedisStore.open(server.url());
        Store other = RedisStore.open(server.url())) {
      Lease first = finished(owner, "a");
      assertThat(await(other.inspection().forceRelease(id("a"), first.fence()))).isTrue();

      Lease second = granted(owner, "a");

      assertThat(second.fence()).isGreaterThan(first.fence());
      assertThat(await(other.claim(StoreSteps.request("a")))).isInstanceOf(Claim.Busy.class);
    }
  }

  @Test
  void what_is_remembered_and_runs_again_elsewhere_is_busy() {
    try (Store owner = RedisStore.open(server.url());
        Store other = RedisStore.open(server.url())) {
      Lease first = finished(owner, "a");
      assertThat(await(other.inspection().forceRelease(id("a"), first.fence()))).isTrue();
      granted(other, "a");

      assertThat(await(owner.claim(StoreSteps.request("a")))).isInstanceOf(Claim.Busy.class);
    }
  }

  /** Also those that scripts make. */
  private static long calls(String command) throws IOException {
    String line = server.info("commandstats", "cmdstat_" + command);
    return line.isEmpty() ? 0 : Long.parseLong(line.replaceAll("calls=(\\d+),.*", "$1"));
  }
}
