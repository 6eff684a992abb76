package dev.once.test;

import dev.once.core.store.Store;
import dev.once.tck.StoreContract;
import dev.once.tck.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** A store that remembers is a store like every other. */
@DisplayName("the recording store keeps the store contract")
class RecordingStoreContractTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    RecordingStore store = new RecordingStore();
    return new StoreFixture() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public Store another() {
        throw new UnsupportedOperationException("in the memory of one process");
      }

      @Override
      public Store reopened() {
        throw new UnsupportedOperationException("gone with its process");
      }

      @Override
      public void timePasses(Duration duration) {
        store.clock().passes(duration);
      }

      @Override
      public void close() {
        store.close();
      }
    };
  }
}
