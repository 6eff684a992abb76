package dev.once.stores.redis;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The master that sentinels name keeps the store contract. */
@Tag("long")
class RedisSentinelContractTest extends StoreContract {

  private static RedisSentinels sentinels;

  @BeforeAll
  static void startSentinels() throws Exception {
    sentinels = RedisSentinels.start(1, "appendonly yes");
  }

  @AfterAll
  static void stopSentinels() throws Exception {
    sentinels.close();
  }

  @Override
  protected StoreFixture open() {
    return new RedisFixture(sentinels.url());
  }
}
