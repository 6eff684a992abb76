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
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** SQLite keeps the store contract. */
class SqliteStoreContractTest extends StoreContract {

  @TempDir private Path folder;

  @Override
  protected StoreFixture open() {
    return new SqliteFixture(
        new SqliteFile(folder.resolve(UUID.randomUUID() + ".db")), this::called);
  }

  /** The store as it is called. */
  Store called(Store store) {
    return store;
  }

  private static final class SqliteFixture implements StoreFixture {

    private final SqliteFile file;
    private final ObservedDataSource observed;
    private final UnaryOperator<Store> called;
    private final List<Store> handles = new ArrayList<>();

    SqliteFixture(SqliteFile file, UnaryOperator<Store> called) {
      this.file = file;
      this.called = called;
      this.observed = file.observed();
      another();
    }

    @Override
    public Store store() {
      return handles.get(0);
    }

    @Override
    public Store another() {
      Store store = called.apply(JdbcStore.sqlite(observed.asDataSource(), file.dialect()));
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
