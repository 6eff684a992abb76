package dev.once.stores.tiered;

import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A cache with a database behind it keeps the store contract. */
@Tag("long")
class FallbackStoreContractTest extends StoreContract {

  @TempDir private Path folder;

  @Override
  protected StoreFixture open() {
    return new SqliteFixture(
        folder.resolve(UUID.randomUUID() + ".db"),
        (database, cache) -> TieredStore.fallback(database, cache));
  }
}
