package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Finding;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.util.stream.Stream;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema's files are taken as they are by the tools that applications have. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MigrationToolsTest {

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static String folder(DatabaseServer server) {
    return "dev/once/stores/jdbc/" + (server instanceof PostgresServer ? "postgresql" : "mariadb");
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void flyway_creates_the_tables(DatabaseServer server) {
    String url = server.newDatabase();
    Flyway flyway =
        Flyway.configure()
            .dataSource(DatabaseServer.jdbcUrl(url), null, null)
            .locations("classpath:" + folder(server))
            .load();

    assertThat(flyway.migrate().migrationsExecuted).isEqualTo(1);
    assertIsFit(url);
    assertThat(flyway.migrate().migrationsExecuted).isZero();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void liquibase_creates_the_tables(DatabaseServer server) throws Exception {
    String url = server.newDatabase();
    try (Connection connection = DatabaseServer.connect(url)) {
      Scope.child(
          Scope.Attr.resourceAccessor,
          new liquibase.resource.ClassLoaderResourceAccessor(),
          () ->
              new CommandScope("update")
                  .addArgumentValue(
                      "database",
                      DatabaseFactory.getInstance()
                          .findCorrectDatabaseImplementation(new JdbcConnection(connection)))
                  .addArgumentValue(
                      "changelogFile", folder(server) + "/V2026.1__once_idempotency_keys.sql")
                  .execute());
    }
    assertIsFit(url);
  }

  private static void assertIsFit(String url) {
    assertThat(JdbcStore.check(url)).extracting(Finding::level).containsOnly(Finding.Level.GOOD);
    JdbcStore.open(url).close();
  }
}
