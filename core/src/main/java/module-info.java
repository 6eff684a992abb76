/** Once: the engine, its policy, the store interface and the in-memory store. */
@org.jspecify.annotations.NullMarked
module dev.once.core {
  requires transitive org.slf4j;
  requires static transitive org.jspecify;

  exports dev.once.core;
  exports dev.once.core.spi;
  exports dev.once.core.store;
  exports dev.once.core.store.spi;

  uses dev.once.core.store.spi.StoreProvider;
  uses dev.once.core.store.spi.StoreTiers;
}
