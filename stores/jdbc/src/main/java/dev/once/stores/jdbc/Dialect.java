package dev.once.stores.jdbc;

import dev.once.core.store.StoreException;
import java.sql.SQLException;

/**
 * What differs from database to database. The rest of the SQL is in {@link Sql}, and the algorithm
 * in {@link Records}.
 */
interface Dialect {

  /** As in error messages, and in the names of the schema's files. */
  String name();

  /** The database's clock: an expression, in milliseconds since 1970. */
  String now();

  /** A query that has a row if the table {@code once_meta} exists. */
  String hasSchema();

  /**
   * Inserts a processing record if there is none, else does nothing, and never fails for that.
   *
   * <p>Parameters: id, tenant, user, route, key, fingerprint, token, fence, lease, lease +
   * retention (both in milliseconds).
   */
  String insert();

  /** Deletes up to the number given of expired records. */
  String purge();

  /** Whether somebody else is at work in the database, and it is worth trying again soon. */
  boolean isBusy(SQLException failure);

  /** What a person needs to know about this failure. */
  StoreException explain(String doing, SQLException failure);
}
