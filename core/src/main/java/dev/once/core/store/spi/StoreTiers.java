package dev.once.core.store.spi;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.core.store.Stores;

/**
 * Makes one store of a database and a cache. {@link Stores} finds it by {@link
 * java.util.ServiceLoader}: {@code once-stores-tiered} has it. Closing the store closes both.
 */
public interface StoreTiers {

  /**
   * A database with a cache in front of it.
   *
   * @param onFallback is called whenever the cache gives no reply; it must not block
   */
  Store cached(Store database, Cache cache, Runnable onFallback);

  /**
   * A cache that answers for as long as it is there, with a database behind it.
   *
   * @param onFallback is called whenever the cache gives no reply; it must not block
   */
  Store fallback(Store database, Cache cache, Runnable onFallback);
}
