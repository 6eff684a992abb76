package dev.once.stores.jdbc;

import dev.once.core.store.Store;
import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** SQLite keeps the store contract. */
class SqliteStoreContractTest extends StoreContract {

  @TempDir private Path folder;

  @Override
  protected StoreFixture open() {
    return new SqliteFixture(new SqliteFile(folder.resolve(UUID.randomUUID() + ".db")));
  }

  private static final class SqliteFixture implements StoreFixture {

    private final SqliteFile file;
    private final ObservedDataSource observed;
    private final List<Store> handles = new ArrayList<>();

    SqliteFixture(SqliteFile file) {
      this.file = file;
      this.observed = file.observed();
      another();
    }

    @Override
    public Store store() {
      return handles.get(0);
    }

    @Override
    public Store another() {
      Store store = JdbcStore.sqlite(observed.asDataSource(), file.dialect());
      handles.add(store);
      return store;
    }

    @Override
    public Store reopened() {
      close();
      return another();
    }

    @Override
    public void timePasses(Duration duration) {
      file.timePasses(duration);
    }

    @Override
    public OptionalLong roundTrips() {
      return OptionalLong.empty(); // in process, there are none; SqliteTransactionsTest counts
    }

    @Override
    public void close() {
      handles.forEach(Store::close);
      handles.clear();
    }
  }
}
