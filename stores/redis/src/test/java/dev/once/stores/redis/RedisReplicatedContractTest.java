package dev.once.stores.redis;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.RedisReplicas;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A master whose replica has to confirm keeps the store contract, but for the round trips. */
@Tag("long")
class RedisReplicatedContractTest extends StoreContract {

  private static RedisReplicas servers;

  @BeforeAll
  static void startServers() throws Exception {
    servers = RedisReplicas.start(1, "appendonly yes");
  }

  @AfterAll
  static void stopServers() throws Exception {
    servers.close();
  }

  @Override
  protected StoreFixture open() {
    return new RedisFixture(
        servers.master().url() + "?replicas=1&replicas-timeout=30s&timeout=60s");
  }
}
