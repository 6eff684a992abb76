package dev.once.stores.jdbc;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.MariaDbServer;
import org.junit.jupiter.api.BeforeAll;

/** MariaDB keeps the store contract, called by threads that wait. */
class MariaDbWaitingCallerContractTest extends StoreContract {

  private static String url;

  @BeforeAll
  static void create() {
    url = DatabaseFixture.database(MariaDbServer.shared());
  }

  @Override
  protected StoreFixture open() {
    return new DatabaseFixture(url, WaitingStore::new);
  }
}
