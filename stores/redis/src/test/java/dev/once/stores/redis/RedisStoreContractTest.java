package dev.once.stores.redis;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Redis keeps the store contract. {@code ONCE_TEST_REDIS_URL} names another one to try. */
class RedisStoreContractTest extends StoreContract {

  private static RedisServer server;
  private static String url;

  @BeforeAll
  static void startServer() throws Exception {
    url = System.getenv("ONCE_TEST_REDIS_URL");
    if (url == null) {
      server = RedisServer.start("appendonly yes");
      url = server.url();
    }
  }

  @AfterAll
  static void stopServer() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Override
  protected StoreFixture open() {
    return new RedisFixture(url);
  }
}
