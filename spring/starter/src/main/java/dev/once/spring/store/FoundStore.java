package dev.once.spring.store;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.core.store.spi.StoreRole;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A store that the application has, before it is opened.
 *
 * @param name for people
 * @param why it is this one
 * @param roles what it can be used for
 * @param store opens it
 * @param cache opens it as a cache, if that is one of its roles
 */
record FoundStore(
    String name,
    String why,
    Set<StoreRole> roles,
    Supplier<? extends Store> store,
    Supplier<? extends Cache> cache) {

  static final Set<StoreRole> DATABASE = Set.of(StoreRole.STORE, StoreRole.DATABASE);
  static final Set<StoreRole> REDIS = Set.of(StoreRole.STORE, StoreRole.CACHE);

  /** One that is not a cache. */
  static FoundStore database(String name, String why, Supplier<? extends Store> store) {
    return new FoundStore(
        name,
        why,
        DATABASE,
        store,
        () -> {
          throw new IllegalStateException(name + ": not a cache");
        });
  }
}
