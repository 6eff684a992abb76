package dev.once.stores.tiered;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** A database with a replay cache in front keeps the store contract. */
class CachedStoreContractTest extends StoreContract {

  @TempDir private Path folder;

  @Override
  protected StoreFixture open() {
    return new SqliteFixture(
        folder.resolve(UUID.randomUUID() + ".db"),
        (database, cache) -> TieredStore.cached(database, cache));
  }
}
