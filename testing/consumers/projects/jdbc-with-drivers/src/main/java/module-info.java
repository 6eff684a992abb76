/** Keys in PostgreSQL or MariaDB, with the drivers of the application. */
module consumer.jdbcwithdrivers {
  requires dev.once.stores.jdbc;
}
