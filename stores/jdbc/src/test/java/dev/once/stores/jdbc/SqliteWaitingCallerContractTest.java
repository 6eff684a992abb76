package dev.once.stores.jdbc;

import dev.once.core.store.Store;

/** SQLite keeps the store contract, called by threads that wait. */
class SqliteWaitingCallerContractTest extends SqliteStoreContractTest {

  @Override
  Store called(Store store) {
    return new WaitingStore(store);
  }
}
