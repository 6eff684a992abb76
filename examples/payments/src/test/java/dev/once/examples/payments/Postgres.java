package dev.once.examples.payments;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** The one PostgreSQL of the tests in this JVM, with a database for each. */
final class Postgres {

  private static final EmbeddedPostgres SHARED = start();

  private Postgres() {}

  private static EmbeddedPostgres start() {
    try {
      return LocalPostgres.durable().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The JDBC URL of a new, empty database. */
  static String newDatabase() {
    String name = "payments_" + UUID.randomUUID().toString().replace("-", "");
    try (Connection connection = SHARED.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("no new database: " + name, e);
    }
    return SHARED.getJdbcUrl("postgres", name);
  }
}
