package dev.once.simulation;

import dev.once.core.spi.Scheduler;
import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.stores.tiered.TieredSettings;
import dev.once.stores.tiered.TieredStore;
import java.util.SplittableRandom;

/** The store of the nodes: the database alone, or with a cache in front of it. */
enum StoreKind {
  PLAIN,
  CACHED,
  FALLBACK;

  /** Half of the seeds have no cache. */
  static StoreKind random(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> CACHED;
      case 1 -> FALLBACK;
      default -> PLAIN;
    };
  }

  boolean isTiered() {
    return this != PLAIN;
  }

  TieredSettings settings() {
    return this == FALLBACK ? TieredSettings.forFallback() : TieredSettings.forCache();
  }

  TieredStore open(Store database, Cache cache, Scheduler scheduler, Runnable onFallback) {
    TieredSettings settings = settings().withOnFallback(onFallback);
    return this == CACHED
        ? TieredStore.cached(database, cache, settings, scheduler)
        : TieredStore.fallback(database, cache, settings, scheduler);
  }
}
