package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.id;
import static dev.once.stores.redis.StoreSteps.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Bytes;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** A put that the network has held. Nobody waits here: the cache was asked for it long ago. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LateCachePutTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Bytes VALUE = Bytes.wrap(new byte[] {3, 'a', 'b', 'c'});

  private static final Bytes OTHER = Bytes.wrap(new byte[] {3, 'd', 'e', 'f'});

  private static RedisServer server;

  /** By how much the server's clock has jumped ahead, as the client sees it. */
  private final AtomicLong jump = new AtomicLong();

  /** How long ago the next put was asked for; when its reply comes, it is now. */
  private final AtomicLong held = new AtomicLong();

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

  private RedisCache open() {
    return RedisCache.open(
        RedisSettings.parse(server.url()),
        () -> System.nanoTime() - jump.get() - held.getAndSet(0));
  }

  @Test
  void is_not_taken() {
    try (RedisCache cache = open()) {
      await(cache.put(id("first"), VALUE, DAY));
      held.set(Duration.ofSeconds(64).toNanos());
      Object outcome = outcome(cache.put(id("held"), VALUE, DAY));

      assertThat(await(cache.get(id("held")))).isEmpty();
      assertThat((Throwable) outcome)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("too late");
    }
  }

  @Test
  void is_taken_if_it_was_held_for_a_moment_only() {
    try (RedisCache cache = open()) {
      await(cache.put(id("first"), VALUE, DAY));
      held.set(Duration.ofSeconds(1).toNanos());
      await(cache.put(id("held"), VALUE, DAY));

      assertThat(await(cache.get(id("held")))).contains(VALUE);
    }
  }

  @Test
  void has_lived_on_its_way() {
    try (RedisCache cache = open()) {
      await(cache.put(id("first"), VALUE, DAY));
      held.set(Duration.ofSeconds(9).toNanos());
      await(cache.put(id("held"), VALUE, DAY));
      await(cache.put(id("held"), OTHER, DAY.minusSeconds(4))); // lives longer, all the same

      assertThat(await(cache.get(id("held")))).contains(OTHER);
    }
  }

  @Test
  void is_not_taken_if_it_is_over() {
    try (RedisCache cache = open()) {
      await(cache.put(id("first"), VALUE, DAY));
      held.set(Duration.ofSeconds(5).toNanos());
      await(cache.put(id("held"), VALUE, Duration.ofSeconds(4)));

      assertThat(await(cache.get(id("held")))).isEmpty();
    }
  }

  @Test
  void is_not_what_comes_when_the_servers_clock_has_jumped() {
    try (RedisCache cache = open()) {
      await(cache.put(id("first"), VALUE, DAY));
      jump.set(Duration.ofHours(1).toNanos());
      await(cache.put(id("second"), VALUE, DAY));

      assertThat(await(cache.get(id("second")))).contains(VALUE);
    }
  }
}
