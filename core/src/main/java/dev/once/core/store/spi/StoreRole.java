package dev.once.core.store.spi;

import dev.once.core.store.Cache;

/** What a URL can be used for. */
public enum StoreRole {
  /** Keeps keys and answers. */
  STORE,
  /** A {@link Cache}: remembers answers for a store that is a database. */
  CACHE,
  /** A store that keeps what it has committed: it may have a cache in front of it. */
  DATABASE
}
