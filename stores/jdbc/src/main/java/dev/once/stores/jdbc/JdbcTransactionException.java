package dev.once.stores.jdbc;

import java.sql.SQLException;

/**
 * The end of an operation could not be written into its transaction, which is to be rolled back.
 */
public final class JdbcTransactionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final SQLException sql;

  JdbcTransactionException(SQLException sql) {
    super(sql.getMessage(), sql);
    this.sql = sql;
  }

  /** What the database said. */
  public SQLException sql() {
    return sql;
  }
}
