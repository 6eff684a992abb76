package dev.once.stores.jdbc;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.PostgresServer;
import org.junit.jupiter.api.BeforeAll;

/** PostgreSQL keeps the store contract, called by threads that wait. */
class PostgresWaitingCallerContractTest extends StoreContract {

  private static String url;

  @BeforeAll
  static void create() {
    url = DatabaseFixture.database(PostgresServer.shared());
  }

  @Override
  protected StoreFixture open() {
    return new DatabaseFixture(url, WaitingStore::new);
  }
}
