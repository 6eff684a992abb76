package dev.once.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Fence;
import dev.once.stores.redis.RedisSettings.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class SeenFencesTest {

  private static final byte[] KEY = "a".getBytes(StandardCharsets.UTF_8);
  private static final byte[] KEY_IN_ANOTHER_SLOT = "b".getBytes(StandardCharsets.UTF_8);
  private static final Fence NOW = new Fence(1_794_876_172_295_974L);

  /** As it can be: it begins anywhere. */
  private final AtomicLong nanos = new AtomicLong(-Duration.ofSeconds(30).toNanos());

  private final SeenFences fences = new SeenFences(Topology.STANDALONE, nanos::get);

  @Test
  void nothing_seen_forbids_nothing() {
    assertThat(fences.highest(KEY)).isZero();
  }

  @Test
  void what_was_seen_is_the_highest_at_that_moment() {
    fences.seen(KEY, NOW);
    fences.seen(KEY, new Fence(NOW.value() - 1));

    assertThat(fences.highest(KEY)).isEqualTo(NOW.value());
    assertThat(fences.highest(KEY_IN_ANOTHER_SLOT)).isEqualTo(NOW.value());
  }

  @Test
  void it_grows_with_time_but_never_as_fast_as_a_servers_clock() {
    fences.seen(KEY, NOW);
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());

    long grown = fences.highest(KEY) - NOW.value();

    assertThat(Duration.ofNanos(grown * 1000))
        .isBetween(Duration.ofSeconds(59), Duration.ofSeconds(60).minusMillis(100));
  }

  @Test
  void it_never_goes_back() {
    fences.seen(KEY, NOW);
    long before = NOW.value();
    for (int i = 0; i < 1_000; i++) {
      nanos.addAndGet(777_777);
      assertThat(fences.highest(KEY)).isGreaterThanOrEqualTo(before);
      before = fences.highest(KEY);
    }
  }

  @Test
  void the_slots_of_a_cluster_have_clocks_of_their_own() {
    SeenFences cluster = new SeenFences(Topology.CLUSTER, nanos::get);
    cluster.seen(KEY, NOW);

    assertThat(cluster.highest(KEY)).isEqualTo(NOW.value());
    assertThat(cluster.highest(KEY_IN_ANOTHER_SLOT)).isZero();
  }
}
