package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.LEASE;
import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.complete;
import static dev.once.stores.redis.StoreSteps.finished;
import static dev.once.stores.redis.StoreSteps.granted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Lease;
import dev.once.testing.servers.RedisCluster;
import dev.once.testing.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster moves a slot while its keys are in use. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class MovingSlotTest {

  private static RedisCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = RedisCluster.start(1);
  }

  @AfterAll
  static void stopCluster() throws Exception {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void steps_go_where_the_key_is_before_in_and_after_the_move(int replicas) throws Exception {
    String slot = "{slot" + replicas + "}"; // all keys are in one
    RedisServer from = cluster.ownerOf(slot);
    RedisServer to = from == cluster.node(0) ? cluster.node(1) : cluster.node(0);
    RedisSettings settings =
        RedisSettings.parse(
                cluster.url() + "?replicas=" + replicas + "&replicas-timeout=30s&timeout=60s")
            .with(s -> s.prefix(slot));
    try (RedisStore store = RedisStore.open(settings);
        RedisStore other = RedisStore.open(settings)) {
      Lease stays = granted(store, "stays");
      finished(store, "replayed");
      cluster.beginMove(slot, from, to);

      assertThat(await(store.renew(stays, LEASE))).isTrue();
      Lease fresh = granted(store, "new");
      assertThat(complete(other, fresh)).isTrue();
      assertReplays(store, "new");

      cluster.moveKeys(slot, from, to);
      assertThat(await(store.renew(stays, LEASE))).isTrue();
      assertThat(complete(store, stays)).isTrue();
      assertReplays(store, "stays");
      assertReplays(other, "replayed");

      cluster.endMove(slot, to);
      finished(store, "after");
      assertReplays(other, "stays");
      assertThat(cluster.ownerOf(slot)).isSameAs(to);
    }
  }
}
