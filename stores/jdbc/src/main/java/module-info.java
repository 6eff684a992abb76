/** Stores over JDBC: one algorithm, a small dialect for each database, group commit. */
@org.jspecify.annotations.NullMarked
module dev.once.stores.jdbc {
  requires transitive dev.once.core;
  requires com.zaxxer.hikari;
  requires transitive java.sql;
  requires org.slf4j;
  requires org.xerial.sqlitejdbc;
  requires static org.checkerframework.checker.qual;
  requires static org.postgresql.jdbc;
  requires static transitive org.jspecify;

  exports dev.once.stores.jdbc;

  provides dev.once.core.store.spi.StoreProvider with
      dev.once.stores.jdbc.DatabaseStoreProvider,
      dev.once.stores.jdbc.SqliteStoreProvider;
}
