package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Bytes;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.StoreException;
import dev.once.stores.redis.RedisCache;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** What a cache is told to be, on a real Redis. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RedisCacheTest {

  private static final Duration DAY = Duration.ofDays(1);

  private static RedisServer redis;

  private final OperationId id = id();
  private final RedisCache cache = RedisCache.open(redis.url());

  @BeforeAll
  static void start() throws IOException {
    redis = RedisServer.start("save \"\"");
  }

  @AfterAll
  static void end() throws IOException {
    redis.close();
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private static OperationId id() {
    return new OperationId(Scope.GLOBAL, Key.of(UUID.randomUUID().toString()));
  }

  private static Bytes value(int rank, String text) {
    byte[] value = ("?" + text).getBytes(StandardCharsets.UTF_8);
    value[0] = (byte) rank;
    return Bytes.wrap(value);
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private long lifeOfTheOnlyKey() throws IOException {
    return Long.parseLong(redis.command("PTTL", redis.command("RANDOMKEY")));
  }

  @Test
  void has_nothing_at_first() {
    assertThat(await(cache.get(id))).isEmpty();
  }

  @Test
  void gives_what_was_put_byte_for_byte() {
    Bytes value = value(3, "\0\r\n$-1\r\n\u00e9");
    await(cache.put(id, value, DAY));

    assertThat(await(cache.get(id))).contains(value);
    assertThat(await(cache.get(id()))).isEmpty();
  }

  @Test
  void lets_a_higher_rank_replace_a_lower_one() {
    await(cache.put(id, value(127, "old"), DAY));
    await(cache.put(id, value(128, "new"), DAY));

    assertThat(await(cache.get(id))).contains(value(128, "new"));
  }

  @Test
  void lets_no_lower_rank_replace_it() {
    await(cache.put(id, value(200, "first"), DAY));
    await(cache.put(id, value(100, "second"), DAY.multipliedBy(2)));

    assertThat(await(cache.get(id))).contains(value(200, "first"));
  }

  @Test
  void keeps_of_the_same_rank_the_one_that_lives_longer() {
    await(cache.put(id, value(200, "first"), DAY));
    await(cache.put(id, value(200, "second"), DAY.dividedBy(2)));
    assertThat(await(cache.get(id))).contains(value(200, "first"));

    await(cache.put(id, value(200, "third"), DAY.multipliedBy(2)));
    assertThat(await(cache.get(id))).contains(value(200, "third"));
  }

  @Test
  void keeps_a_value_for_its_life() throws IOException {
    redis.command("FLUSHALL");
    await(cache.put(id, value(3, "a"), Duration.ofMinutes(1)));

    assertThat(lifeOfTheOnlyKey()).isBetween(1L, Duration.ofMinutes(1).toMillis());
  }

  @Test
  void gives_a_higher_rank_a_life_of_its_own() throws IOException {
    redis.command("FLUSHALL");
    await(cache.put(id, value(3, "a"), DAY));
    await(cache.put(id, value(4, "b"), Duration.ofMinutes(1)));

    assertThat(lifeOfTheOnlyKey()).isBetween(1L, Duration.ofMinutes(1).toMillis());
  }

  @Test
  void goes_on_when_the_server_has_forgotten_its_scripts() throws IOException {
    redis.command("SCRIPT", "FLUSH");

    await(cache.put(id, value(3, "a"), DAY));

    assertThat(await(cache.get(id))).contains(value(3, "a"));
  }

  @Test
  void is_seen_by_others() {
    await(cache.put(id, value(3, "a"), DAY));

    try (RedisCache another = RedisCache.open(redis.url())) {
      assertThat(await(another.get(id))).contains(value(3, "a"));
    }
  }

  @Test
  void under_another_prefix_is_another() {
    await(cache.put(id, value(3, "a"), DAY));

    try (RedisCache another = RedisCache.open(redis.url() + "?prefix=other:")) {
      assertThat(await(another.get(id))).isEmpty();
    }
  }

  @Test
  void fails_each_step_after_it_was_closed() {
    cache.close();

    assertThatThrownBy(() -> await(cache.get(id)))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreException.class);
    assertThatThrownBy(() -> await(cache.put(id, value(3, "a"), DAY)))
        .hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void of_a_server_that_is_not_there_yet_fails_until_it_is() throws IOException {
    try (RedisServer late = RedisServer.start("save \"\"")) {
      late.kill();
      try (RedisCache early = RedisCache.open(late.url())) {
        assertThatThrownBy(() -> await(early.get(id))).hasCauseInstanceOf(StoreException.class);

        late.restart();

        Await.until("the cache to be reached", () -> answers(early));
      }
    }
  }

  private boolean answers(RedisCache cache) {
    return cache
        .get(id)
        .thenApply(Optional::isEmpty)
        .exceptionally(failure -> false)
        .toCompletableFuture()
        .join();
  }
}
