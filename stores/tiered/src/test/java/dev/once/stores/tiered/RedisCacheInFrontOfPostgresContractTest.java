package dev.once.stores.tiered;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import org.junit.jupiter.api.Tag;

/** PostgreSQL with a Redis replay cache in front of it keeps the store contract. */
@Tag("long")
class RedisCacheInFrontOfPostgresContractTest extends RedisInFrontOfPostgresContractTest {

  @Override
  Store form(Store database, Cache cache) {
    return TieredStore.cached(database, cache);
  }
}
