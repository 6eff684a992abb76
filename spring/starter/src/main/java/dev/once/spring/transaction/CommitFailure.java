package dev.once.spring.transaction;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;

/** Why a transaction could not be committed: because of the application, or of the database. */
final class CommitFailure {

  /** A statement failed before, and PostgreSQL takes no more until the rollback. */
  private static final String ABORTED = "25P02";

  private CommitFailure() {}

  /**
   * Whether a retry would meet the same: a constraint was broken, a failure was swallowed, or
   * something other than the database has failed. What the database may get over, such as a
   * deadlock or a lost connection, is not the application's.
   */
  static boolean isApplications(RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = next(cause)) {
      if (cause instanceof SQLException sql) {
        String state = String.valueOf(sql.getSQLState());
        return state.startsWith("23") || state.startsWith("44") || state.equals(ABORTED);
      }
      if (cause instanceof TransientDataAccessException
          || cause instanceof RecoverableDataAccessException) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Throwable next(Throwable of) {
    return of.getCause() == of ? null : of.getCause();
  }
}
