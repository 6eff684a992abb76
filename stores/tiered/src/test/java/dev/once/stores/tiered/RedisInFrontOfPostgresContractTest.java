package dev.once.stores.tiered;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.PostgresServer;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Redis with PostgreSQL behind it keeps the store contract. */
class RedisInFrontOfPostgresContractTest extends StoreContract {

  /** With less, whether the cache is waited for would be a matter of luck. */
  private static final TieredSettings PATIENT =
      TieredSettings.forFallback().withTimeout(Duration.ofSeconds(10));

  private static String database;
  private static RedisServer redis;

  @BeforeAll
  static void start() throws IOException {
    database = PostgresServer.shared().newDatabase();
    JdbcStore.migrate(database);
    redis = RedisServer.start("save \"\"");
  }

  @AfterAll
  static void end() throws IOException {
    redis.close();
  }

  @Override
  protected StoreFixture open() {
    return new PostgresRedisFixture(database, redis, this::form);
  }

  Store form(Store database, Cache cache) {
    return TieredStore.fallback(database, cache, PATIENT);
  }
}
