package dev.once.faults;

import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;

/** A store that several have a handle of: none of them closes it. */
class Shared extends ForwardingStore {

  Shared(Store store) {
    super(store);
  }

  @Override
  public void close() {}
}
