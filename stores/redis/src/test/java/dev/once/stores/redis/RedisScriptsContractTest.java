package dev.once.stores.redis;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract also holds where every claim goes by the script, as on a node that is new. */
class RedisScriptsContractTest extends StoreContract {

  private static RedisServer server;

  @BeforeAll
  static void startServer() throws Exception {
    server = RedisServer.start("appendonly yes");
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @Override
  protected StoreFixture open() {
    return new RedisFixture(server.url(), true);
  }
}
