package dev.once.stores.jdbc;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.PgBouncer;
import dev.once.testing.servers.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** PostgreSQL keeps the store contract behind PgBouncer in transaction mode too. */
class PgBouncerStoreContractTest extends StoreContract {

  private static PgBouncer pooler;

  @BeforeAll
  static void start() {
    pooler = PgBouncer.start(DatabaseFixture.database(PostgresServer.shared()), 4);
  }

  @AfterAll
  static void stop() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Override
  protected StoreFixture open() {
    return new DatabaseFixture(pooler.url() + "?prepareThreshold=0");
  }
}
