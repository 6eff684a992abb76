package dev.once.core.store;

import org.jspecify.annotations.Nullable;

/**
 * A store cannot be opened because of how it is set up. Trying again does not help until somebody
 * changes that.
 */
public final class StoreSetupException extends StoreException {
  private static final long serialVersionUID = 1;

  /** What has to be changed. */
  public enum Problem {
    /** A driver, a client or a module is not on the class path. */
    DEPENDENCY,
    /** The tables are missing, or older than this version needs them. */
    TABLES,
    /** A newer version of Once has used the tables. */
    NEWER_TABLES,
    /** The pool has too few connections. */
    POOL,
    /** It is not a database that Once has a store for. */
    DATABASE
  }

  private final Problem problem;

  public StoreSetupException(Problem problem, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.problem = problem;
  }

  /** Says which dependency to add: {@code redis: needs io.lettuce:lettuce-core (expected: …)}. */
  public static StoreSetupException missing(
      String name, String dependency, @Nullable Throwable cause) {
    return new StoreSetupException(Problem.DEPENDENCY, name + ": " + needs(dependency), cause);
  }

  static String needs(String dependency) {
    return "needs " + dependency + " (expected: on the class path; add that dependency)";
  }

  /** What has to be changed. */
  public Problem problem() {
    return problem;
  }
}
