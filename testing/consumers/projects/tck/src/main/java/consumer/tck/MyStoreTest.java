package consumer.tck;

import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

class MyStoreTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    return new MyStore();
  }

  /** Stands for a store of one's own: the one in memory, with a clock that is set. */
  private static final class MyStore implements StoreFixture {

    private final AtomicReference<Instant> now =
        new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final InstantSource clock = now::get;
    private final Store store = new MemoryStore(clock, 100_000, 256 * 1024 * 1024);

    @Override
    public Store store() {
      return store;
    }

    @Override
    public Store another() {
      throw new UnsupportedOperationException("not shared");
    }

    @Override
    public Store reopened() {
      throw new UnsupportedOperationException("not durable");
    }

    @Override
    public void timePasses(Duration duration) {
      now.updateAndGet(instant -> instant.plus(duration));
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
