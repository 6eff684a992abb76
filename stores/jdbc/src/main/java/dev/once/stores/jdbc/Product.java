package dev.once.stores.jdbc;

import dev.once.core.store.StoreSetupException;
import dev.once.core.store.StoreSetupException.Problem;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** A product that stores are kept in, and what is to be known before a connection is there. */
enum Product {
  POSTGRESQL(
      List.of("postgresql", "postgres"),
      "org.postgresql.Driver",
      "org.postgresql:postgresql",
      ChronoUnit.SECONDS) {
    @Override
    Dialect dialect() {
      return new PostgresDialect();
    }

    @Override
    Dialect on(Connection connection) throws SQLException {
      return PostgresDialect.on(connection);
    }
  },

  MARIADB(
      List.of("mariadb"),
      "org.mariadb.jdbc.Driver",
      "org.mariadb.jdbc:mariadb-java-client",
      ChronoUnit.MILLIS) {
    @Override
    Dialect dialect() {
      return new MariaDbDialect();
    }

    @Override
    Dialect on(Connection connection) throws SQLException {
      return MariaDbDialect.on(connection);
    }
  },

  H2(List.of("h2"), "org.h2.Driver", "com.h2database:h2", ChronoUnit.MILLIS) {
    @Override
    Dialect dialect() {
      return new H2Dialect();
    }

    @Override
    Dialect on(Connection connection) throws SQLException {
      return H2Dialect.on(connection);
    }
  },

  SQLITE(List.of("sqlite"), "org.sqlite.JDBC", "org.xerial:sqlite-jdbc", ChronoUnit.MILLIS) {
    @Override
    Dialect dialect() {
      return new SqliteDialect(Path.of("sqlite"));
    }

    @Override
    Dialect on(Connection connection) {
      throw new StoreSetupException(
          Problem.DATABASE,
          "database: SQLite (expected: PostgreSQL, MariaDB or H2); use JdbcStore.sqlite",
          null);
    }
  };

  @SuppressWarnings("ImmutableEnumChecker") // it is
  private final List<String> schemes;

  private final String driver;
  private final String dependency;
  private final ChronoUnit unitOfTimeouts;

  Product(List<String> schemes, String driver, String dependency, ChronoUnit unitOfTimeouts) {
    this.schemes = schemes;
    this.driver = driver;
    this.dependency = dependency;
    this.unitOfTimeouts = unitOfTimeouts;
  }

  /** What URLs of it begin with; the first is what its driver calls it, too. */
  List<String> schemes() {
    return schemes;
  }

  String scheme() {
    return schemes.get(0);
  }

  /** The class of its driver. */
  String driver() {
    return driver;
  }

  /** Where its driver is. */
  String dependency() {
    return dependency;
  }

  /** In which its driver counts timeouts. */
  ChronoUnit unitOfTimeouts() {
    return unitOfTimeouts;
  }

  /** Its dialect, with tables that are found by each connection for itself. */
  abstract Dialect dialect();

  /**
   * Its dialect, with the tables that this connection finds.
   *
   * @throws StoreSetupException if a store has no use for connections of others to it
   */
  abstract Dialect on(Connection connection) throws SQLException;

  /** The product that a driver names so. */
  static Product named(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (Product product : values()) {
      if (product.scheme().equals(lower)) {
        return product;
      }
    }
    throw new StoreSetupException(
        Problem.DATABASE,
        "database: "
            + name
            + " (expected: PostgreSQL, MariaDB, H2 or SQLite)"
            + (lower.equals("mysql")
                ? "; a MariaDB needs its own driver, " + MARIADB.dependency
                : "")
            + "; keys can be kept elsewhere, in a file (sqlite:FILE, JdbcStore.sqlite) or, until the"
            + " process ends, in memory (memory:, MemoryStore), but not in this database's"
            + " transactions",
        null);
  }
}
