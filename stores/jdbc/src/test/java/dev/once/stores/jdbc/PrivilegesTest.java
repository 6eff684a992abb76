package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Finding;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.MariaDbServer;
import dev.once.testing.servers.PostgresServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A check says what a user may not do, and what is not there, before a request finds out. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PrivilegesTest {

  private static final Path GUIDE = Path.of("../../docs/databases.md");

  static Stream<DatabaseServer> servers() {
    return Stream.of(PostgresServer.shared(), MariaDbServer.shared());
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String userOf(DatabaseServer server) {
    return server instanceof PostgresServer ? "clerk" : "'clerk'@'%'";
  }

  /** The URL for a user who may connect, and no more. */
  private static String asClerk(DatabaseServer server, String url) throws Exception {
    if (server instanceof PostgresServer) {
      execute(
          url,
          "DO $$ BEGIN CREATE ROLE clerk LOGIN PASSWORD 'secret';"
              + " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
          "GRANT USAGE ON SCHEMA public TO clerk");
    } else {
      execute(
          url,
          "CREATE USER IF NOT EXISTS 'clerk'@'%' IDENTIFIED BY 'secret'",
          "GRANT SELECT ON once_meta TO 'clerk'@'%'");
    }
    URI uri = new URI(url);
    return "%s://clerk:secret@%s:%d%s"
        .formatted(uri.getScheme(), uri.getHost(), uri.getPort(), uri.getPath());
  }

  /** As the guide says it, to another user. */
  private static void grantAll(DatabaseServer server, String url) throws Exception {
    boolean postgres = server instanceof PostgresServer;
    String guide = Files.readString(GUIDE);
    int mariaDb = guide.indexOf("\n-- MariaDB\n");
    assertThat(guide).contains("\n-- PostgreSQL").contains("\n-- MariaDB\n");
    String grants = postgres ? guide.substring(0, mariaDb) : guide.substring(mariaDb);
    execute(
        url,
        grants
            .lines()
            .filter(line -> line.startsWith("GRANT "))
            .map(line -> line.replace(";", "").replace("shop", "clerk"))
            .toArray(String[]::new));
  }

  private static Optional<String> unfit(String url, String subject) {
    return JdbcStore.check(url).stream()
        .filter(finding -> finding.level() == Finding.Level.UNFIT)
        .filter(finding -> finding.subject().equals(subject))
        .map(Finding::detail)
        .findFirst();
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void the_grants_of_the_guide_are_enough(DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    String clerk = asClerk(server, url);
    grantAll(server, url);

    assertThat(JdbcStore.check(clerk)).extracting(Finding::level).containsOnly(Finding.Level.GOOD);
    Answer paid = Answer.success(201, Body.of("paid"));
    Operation operation =
        Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("pay"), Policy.DEFAULT);
    try (JdbcStore store = JdbcStore.open(clerk);
        Once once = Once.on(store)) {
      assertThat(once.run(operation, any -> paid)).isEqualTo(new Result.Executed(paid, true));
      assertThat(once.run(operation, any -> paid)).isEqualTo(new Result.Replayed(paid));
      assertThat(store.purgeExpired(10).toCompletableFuture().join()).isZero();
    }
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_user_who_cannot_insert_is_told_the_grant_that_is_missing(DatabaseServer server)
      throws Exception {
    String url = DatabaseFixture.database(server);
    String clerk = asClerk(server, url);
    grantAll(server, url);
    execute(
        url,
        "REVOKE INSERT ON idempotency_keys FROM " + userOf(server),
        server instanceof PostgresServer
            ? "REVOKE USAGE ON SEQUENCE once_fence FROM clerk"
            : "REVOKE INSERT ON once_fence FROM 'clerk'@'%'");

    String missing = unfit(clerk, "privileges").orElseThrow();

    assertThat(missing).contains("INSERT ON").contains("idempotency_keys TO " + userOf(server));
    assertThat(missing).contains("once_fence TO " + userOf(server));
    execute(url, missing.split("; "));
    assertThat(unfit(clerk, "privileges")).isEmpty();
  }

  static Stream<Arguments> rights() {
    String keys = "idempotency_keys";
    Stream<Arguments> onTables =
        servers()
            .flatMap(
                server ->
                    Stream.of(
                        Arguments.of(server, "SELECT", keys),
                        Arguments.of(server, "INSERT", keys),
                        Arguments.of(server, "UPDATE", keys),
                        Arguments.of(server, "DELETE", keys),
                        Arguments.of(server, "SELECT", "once_meta"),
                        Arguments.of(server, "UPDATE", "once_meta")));
    return Stream.concat(
        onTables,
        Stream.of(
            Arguments.of(PostgresServer.shared(), "USAGE", "SEQUENCE once_fence"),
            Arguments.of(MariaDbServer.shared(), "INSERT", "once_fence")));
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("rights")
  void each_right_that_is_missing_is_told_as_the_statement_that_grants_it(
      DatabaseServer server, String right, String on) throws Exception {
    String url = DatabaseFixture.database(server);
    String clerk = asClerk(server, url);
    grantAll(server, url);
    execute(url, "REVOKE %s ON %s FROM %s".formatted(right, on, userOf(server)));

    String missing = unfit(clerk, "privileges").orElseThrow();

    assertThat(missing).contains(right).contains(on + " TO " + userOf(server));
    execute(url, missing.split("; "));
    assertThat(JdbcStore.check(clerk)).extracting(Finding::level).containsOnly(Finding.Level.GOOD);
  }

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_sequence_that_is_missing_is_named(DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    execute(url, "DROP SEQUENCE once_fence");

    assertThat(unfit(url, "privileges").orElseThrow()).contains("once_fence is missing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"once_claim_1", "once_claim_one_1", "once_complete_1", "once_own_1"})
  void a_function_that_is_missing_is_named(String function) throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    execute(url, "DROP FUNCTION " + function);

    assertThat(unfit(url, "privileges").orElseThrow())
        .isEqualTo(
            "FUNCTION %s is missing: create it again as the file V2026.1 in the jar does"
                .formatted(function));
  }

  @Test
  void a_function_that_may_not_be_executed_is_told_as_the_statement_that_grants_it()
      throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    String clerk = asClerk(PostgresServer.shared(), url);
    grantAll(PostgresServer.shared(), url);
    execute(url, "REVOKE EXECUTE ON FUNCTION once_own_1 FROM PUBLIC");

    String missing = unfit(clerk, "privileges").orElseThrow();

    assertThat(missing).isEqualTo("GRANT EXECUTE ON FUNCTION once_own_1 TO clerk");
    execute(url, missing);
    assertThat(unfit(clerk, "privileges")).isEmpty();
  }

  @Test
  void a_check_takes_no_number_of_the_sequence() throws Exception {
    String url = DatabaseFixture.database(MariaDbServer.shared());
    DatabaseFixture fixture = new DatabaseFixture(url);
    try (fixture) {
      long before = fixture.number("SELECT next_not_cached_value FROM once_fence");
      JdbcStore.check(url);
      assertThat(fixture.number("SELECT next_not_cached_value FROM once_fence")).isEqualTo(before);
    }
  }

  @Test
  void a_max_allowed_packet_that_is_too_small_for_an_answer_is_told() throws Exception {
    try (MariaDbServer server = MariaDbServer.start(Map.of("max-allowed-packet", "1M"))) {
      String url = DatabaseFixture.database(server);
      assertThat(JdbcStore.check(url))
          .filteredOn(finding -> finding.level() == Finding.Level.WARNING)
          .singleElement()
          .satisfies(
              finding -> assertThat(finding.detail()).contains("max_allowed_packet is 1048576"));
    }
  }
}
