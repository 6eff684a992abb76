package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.Finding;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.stream.Stream;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.output.MigrateResult;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
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

  /** An application's own migrations, up to this version. */
  private static void write(Path folder, int upTo) throws IOException {
    for (int version = 1; version <= upTo; version++) {
      Files.writeString(
          folder.resolve("V" + version + "__shop.sql"),
          "CREATE TABLE shop_" + version + " (id INT PRIMARY KEY);\n");
    }
  }

  private static FluentConfiguration flyway(String url, String... locations) {
    return Flyway.configure()
        .dataSource(DatabaseServer.jdbcUrl(url), null, null)
        .locations(locations);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void with_a_flyway_history_of_its_own_the_applications_next_deploys_go_on(
      DatabaseServer server, @TempDir Path shop) throws Exception {
    String url = server.newDatabase();
    for (int version = 1; version <= 3; version++) {
      write(shop, version);
      assertThat(flyway(url, "filesystem:" + shop).load().migrate().migrationsExecuted).isOne();

      MigrateResult once =
          flyway(url, "classpath:" + folder(server))
              .table("flyway_schema_history_once")
              .baselineOnMigrate(true)
              .baselineVersion("0")
              .load()
              .migrate();
      assertThat(once.migrationsExecuted).isEqualTo(version == 1 ? 1 : 0);
    }
    assertIsFit(url);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_copy_under_the_applications_own_version_is_one_of_its_migrations(
      DatabaseServer server, @TempDir Path shop) throws Exception {
    String url = server.newDatabase();
    write(shop, 2);
    String file = "/" + folder(server) + "/V2026.1__once_idempotency_keys.sql";
    try (InputStream script = JdbcStore.class.getResourceAsStream(file)) {
      Files.copy(script, shop.resolve("V2.1__once_idempotency_keys.sql"));
    }
    assertThat(flyway(url, "filesystem:" + shop).load().migrate().migrationsExecuted).isEqualTo(3);

    write(shop, 3);
    assertThat(flyway(url, "filesystem:" + shop).load().migrate().migrationsExecuted).isOne();
    assertIsFit(url);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void in_one_flyway_history_with_the_applications_own_it_stops_their_next_deploy(
      DatabaseServer server, @TempDir Path shop) throws Exception {
    String url = server.newDatabase();
    String[] both = {"filesystem:" + shop, "classpath:" + folder(server)};
    write(shop, 1);
    flyway(url, both).load().migrate();

    write(shop, 2);
    assertThatThrownBy(() -> flyway(url, both).load().migrate())
        .hasMessageContaining("not applied to database: 2");
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void tables_that_are_missing_are_told_with_what_flyway_needs(DatabaseServer server) {
    String url = server.newDatabase();
    assertThatThrownBy(() -> JdbcStore.open(url))
        .hasMessageContaining("Flyway needs a history table of its own");
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void liquibase_creates_the_tables(DatabaseServer server) throws Exception {
    String url = server.newDatabase();
    try (Connection connection = DatabaseServer.connect(url)) {
      liquibase(connection, folder(server));
    }
    assertIsFit(url);
  }

  static void liquibase(Connection connection, String folder) throws Exception {
    Scope.child(
        Scope.Attr.resourceAccessor,
        new liquibase.resource.ClassLoaderResourceAccessor(),
        () ->
            new CommandScope("update")
                .addArgumentValue(
                    "database",
                    DatabaseFactory.getInstance()
                        .findCorrectDatabaseImplementation(new JdbcConnection(connection)))
                .addArgumentValue("changelogFile", folder + "/V2026.1__once_idempotency_keys.sql")
                .execute());
  }

  private static void assertIsFit(String url) {
    assertThat(JdbcStore.check(url)).extracting(Finding::level).containsOnly(Finding.Level.GOOD);
    JdbcStore.open(url).close();
  }
}
