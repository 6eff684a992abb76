package dev.once.faults;

import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;

/** A store that several users share: none of them closes it. */
class SharedStore extends ForwardingStore {

  SharedStore(Store store) {
    super(store);
  }

  @Override
  public void close() {}
}
