/** A replay cache of one's own in front of a file. */
module consumer.tiered {
  requires dev.once.stores.jdbc;
  requires dev.once.stores.tiered;
}
