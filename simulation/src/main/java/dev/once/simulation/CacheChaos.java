package dev.once.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Faults of the cache while clients work, until the faults end. */
final class CacheChaos {

  private static final long MILLI = 1_000_000;

  /** All jumps together: a mark is kept for twice as long as a put may take, and no longer. */
  private static final long MAX_JUMPED = 25_000;

  private final World world;
  private final CacheServer cache;
  private final List<Node> nodes;
  private final SplittableRandom random;
  private long jumped;

  CacheChaos(World world, CacheServer cache, List<Node> nodes, SplittableRandom random) {
    this.world = world;
    this.cache = cache;
    this.nodes = nodes;
    this.random = random;
  }

  /** Plans the faults until then. */
  void plan(long until) {
    int faults = random.nextInt(6);
    for (int i = 0; i < faults; i++) {
      world.queue.after(random.nextLong(until), this::startFault);
    }
    int snapshots = random.nextInt(4);
    for (int i = 0; i < snapshots; i++) {
      world.queue.after(random.nextLong(until), cache::saveSnapshot);
    }
    if (snapshots > 0 && random.nextBoolean()) {
      // Also late, when a person has released what the old data still has.
      world.queue.after(random.nextLong(2 * until), this::rollBack);
    }
    world.queue.after(
        until,
        () -> {
          cache.heal();
          world.cacheFaults.heal();
        });
  }

  private void startFault() {
    switch (random.nextInt(7)) {
      case 0 -> {
        cache.setDown(true);
        world.queue.after(outageNanos(), () -> cache.setDown(false));
      }
      case 1 -> {
        cache.setFull(true);
        world.queue.after(outageNanos(), () -> cache.setFull(false));
      }
      case 2, 3 -> {
        int node = random.nextInt(nodes.size());
        world.coverage.saw(Happening.CACHE_CUT_OFF);
        cache.cutOff(node, true);
        world.queue.after(outageNanos(), () -> cache.cutOff(node, false));
      }
      case 4 -> {
        world.coverage.saw(Happening.CACHE_EMPTIED);
        cache.empty();
      }
      case 5 -> rollBack();
      default -> jump();
    }
  }

  private void rollBack() {
    world.coverage.saw(Happening.CACHE_ROLLED_BACK);
    cache.rollBack();
  }

  private void jump() {
    long millis =
        random.nextInt(4) == 0 ? random.nextLong(-20_000, 20_000) : random.nextLong(-2_000, 3_000);
    if (jumped + Math.abs(millis) <= MAX_JUMPED) {
      jumped += Math.abs(millis);
      world.coverage.saw(Happening.CACHE_CLOCK_JUMP);
      cache.jump(millis);
    }
  }

  private long outageNanos() {
    return random.nextLong(5 * MILLI, 2500 * MILLI);
  }
}
