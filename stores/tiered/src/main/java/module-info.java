/** Two stores as one: a replay cache in front, or a fallback behind. */
@org.jspecify.annotations.NullMarked
module dev.once.stores.tiered {
  requires transitive dev.once.core;
  requires io.github.resilience4j.circuitbreaker;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.once.stores.tiered;

  provides dev.once.core.store.spi.StoreTiers with
      dev.once.stores.tiered.TieredStores;
}
