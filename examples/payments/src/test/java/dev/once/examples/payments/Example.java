package dev.once.examples.payments;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** The example, running in this JVM on a free port and on the PostgreSQL of the tests. */
final class Example implements AutoCloseable {

  private static final String QUIET = "--logging.level.dev.once=warn";

  /** As JDBC names it. */
  private final String database;

  private final ConfigurableApplicationContext context;

  private Example(String database, ConfigurableApplicationContext context) {
    this.database = database;
    this.context = context;
  }

  /** One with a database of its own. */
  static Example start(String... properties) {
    return startOn(Postgres.newDatabase(), properties);
  }

  static Example startOn(String database, String... properties) {
    List<String> args = new ArrayList<>(List.of("--server.port=0", QUIET, on(database)));
    args.addAll(List.of(properties));
    return new Example(database, PaymentsApplication.start(args.toArray(String[]::new)));
  }

  /** The property that names its database. */
  static String on(String database) {
    return "--spring.datasource.url=" + database;
  }

  String database() {
    return database;
  }

  URI url() {
    return URI.create(
        "http://localhost:" + context.getEnvironment().getProperty("local.server.port"));
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** A client with the header names of the profile ietf. */
  Client client(String user) {
    return new Client(url(), user, "Idempotency-Key", "Idempotent-Replayed");
  }

  @Override
  public void close() {
    context.close();
  }
}
