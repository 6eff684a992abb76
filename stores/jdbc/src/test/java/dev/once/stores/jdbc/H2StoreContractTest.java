package dev.once.stores.jdbc;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import org.junit.jupiter.api.BeforeAll;

/** H2 keeps the store contract. */
class H2StoreContractTest extends StoreContract {

  private static String url;

  @BeforeAll
  static void create() {
    url = H2Database.withTables("");
  }

  @Override
  protected StoreFixture open() {
    return new DatabaseFixture(url);
  }
}
