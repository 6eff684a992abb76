package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.stores.redis.RedisStore;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/**
 * Redis with PostgreSQL behind it, both real, under the load of two nodes, while something happens
 * to Redis. Each test ends with the same questions: did anything run twice, and is what was
 * finished still finished, for both nodes, with the answer that was given.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LostRedisTest {

  private RedisServer redis;
  private Load load;

  @BeforeEach
  void start() throws IOException {
    redis = RedisServer.start("save \"\"", "appendonly no");
    load = new Load(redis.url(), Load::tiered);
    load.awaitMore();
  }

  @AfterEach
  void end() throws IOException {
    load.close();
    redis.close();
  }

  @Test
  void while_redis_is_there_it_answers() {
    load.awaitThatRedisIsUsed();
    load.endAndCheck();
  }

  @Test
  void redis_is_lost() {
    redis.kill();
    load.awaitMore();

    load.endAndCheck();
    assertThat(load.fallbacks()).isPositive();
  }

  @Test
  void redis_is_lost_and_comes_back_empty() throws IOException {
    redis.kill();
    load.awaitMore();
    redis.restart();
    load.awaitMore();
    load.awaitThatRedisIsUsed();

    load.endAndCheck();
    assertThat(redis.command("DBSIZE")).isNotEqualTo("0");
  }

  @Test
  void redis_comes_back_with_old_data() throws IOException {
    redis.command("SAVE");
    Path old = redis.folder().resolve("old.rdb");
    Files.copy(redis.folder().resolve("dump.rdb"), old);
    load.awaitMore();
    load.releaseSomeByHand();
    redis.kill();
    load.awaitMore();
    Files.move(old, redis.folder().resolve("dump.rdb"), StandardCopyOption.REPLACE_EXISTING);
    redis.restart();
    assertThat(redis.command("DBSIZE")).isNotEqualTo("0");
    load.awaitMore();
    load.awaitThatRedisIsUsed();

    load.endAndCheck();
  }

  @Test
  void redis_is_emptied_while_it_runs() throws IOException {
    for (int i = 0; i < 5; i++) {
      redis.command("FLUSHALL");
      load.awaitMore();
    }

    load.endAndCheck();
  }

  @Test
  void redis_stands_still_and_goes_on() {
    redis.pause();
    load.awaitMore();
    redis.resume();
    load.awaitMore();
    load.awaitThatRedisIsUsed();

    load.endAndCheck();
  }

  @Test
  void redis_comes_and_goes() throws IOException {
    for (int i = 0; i < 4; i++) {
      redis.kill();
      load.awaitMore();
      redis.restart();
      load.awaitMore();
    }
    load.awaitThatRedisIsUsed();

    load.endAndCheck();
  }

  @Test
  void one_node_loses_redis_and_the_other_does_not() {
    load.proxies.get(0).refuse();
    load.awaitMore();
    load.proxies.get(0).heal();
    load.awaitMore();
    load.awaitThatRedisIsUsed();

    load.endAndCheck();
    assertThat(load.fallbacks()).isPositive();
  }

  @Test
  void what_one_node_says_to_redis_arrives_late() {
    load.proxies.get(0).stall();
    load.awaitMore();
    load.proxies.get(0).heal();
    load.awaitMore();

    load.endAndCheck();
  }

  @Test
  void the_replies_of_redis_get_lost() {
    load.proxies.forEach(way -> way.dropReplies(0.05));
    load.awaitMore();
    load.proxies.forEach(way -> way.heal());
    load.awaitMore();

    load.endAndCheck();
  }

  @Test
  void a_store_in_which_redis_decides_while_it_can_be_reached_is_found_out() {
    load.close();
    load =
        new Load(
            redis.url(),
            (url, database, onFallback) -> new NaiveFallback(RedisStore.open(url), database));
    load.awaitMore();
    load.proxies.get(0).refuse();
    load.awaitMore();
    load.proxies
        .get(0)
        .heal(); // else whoever was granted a key by Redis tries to record for a lease

    assertThatThrownBy(() -> load.endAndCheck())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("two answers");
  }
}
