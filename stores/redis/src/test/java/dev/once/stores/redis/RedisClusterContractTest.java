package dev.once.stores.redis;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A cluster of three masters keeps the store contract. */
@Tag("long")
class RedisClusterContractTest extends StoreContract {

  private static RedisCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = RedisCluster.start(0, "appendonly yes");
  }

  @AfterAll
  static void stopCluster() throws Exception {
    cluster.close();
  }

  @Override
  protected StoreFixture open() {
    return new RedisFixture(cluster.url());
  }
}
