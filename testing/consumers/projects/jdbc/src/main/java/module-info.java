/** Keys in a file, by the driver that the store brings; and in a PostgreSQL whose driver is not there. */
module consumer.jdbc {
  requires dev.once.stores.jdbc;
}
