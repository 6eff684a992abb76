package dev.once.stores.jdbc;

import dev.once.stores.jdbc.Dialect.Aftermath;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;

/** A kind of database, as the application's transactions use it. */
record TransactionDatabase(Dialect dialect, StepByStep steps, Sql sql) {

  static TransactionDatabase of(Dialect dialect) {
    Records records = new Records(dialect);
    return new TransactionDatabase(dialect, new StepByStep(dialect, records), records.sql());
  }

  /** Whether somebody else held a lock for too long, and the transaction is as it was before. */
  boolean isBusy(Connection connection, SQLException failure) {
    if (aftermath(connection, failure) != Aftermath.BUSY) {
      return false;
    }
    String undo = dialect.undoClaim();
    if (undo == null) {
      return true;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(undo);
      return true;
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /** What a person needs to know, and what a program needs to know: whether to run it again. */
  SQLException explain(String doing, Connection connection, SQLException failure) {
    return aftermath(connection, failure) == Aftermath.FAILED
        ? new SQLException(
            dialect.explain(doing, failure).getMessage(),
            failure.getSQLState(),
            failure.getErrorCode(),
            failure)
        : new SQLTransactionRollbackException(
            "%s: %s met another transaction, %s; roll back and try again"
                .formatted(dialect.name(), doing, failure.getMessage()),
            failure.getSQLState(),
            failure.getErrorCode(),
            failure);
  }

  private Aftermath aftermath(Connection connection, SQLException failure) {
    try {
      return dialect.aftermath(connection, failure);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return Aftermath.FAILED;
    }
  }
}
