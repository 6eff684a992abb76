package dev.once.stores.tiered;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.core.store.spi.StoreTiers;

/** {@link TieredStore} with its default settings, for {@link dev.once.core.store.Stores}. */
public final class TieredStores implements StoreTiers {

  @Override
  public Store cached(Store database, Cache cache, Runnable onFallback) {
    return TieredStore.cached(
        database, cache, TieredSettings.forCache().withOnFallback(onFallback));
  }

  @Override
  public Store fallback(Store database, Cache cache, Runnable onFallback) {
    return TieredStore.fallback(
        database, cache, TieredSettings.forFallback().withOnFallback(onFallback));
  }
}
