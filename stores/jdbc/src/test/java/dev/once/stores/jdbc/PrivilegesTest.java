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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A check says what a user may not do, and what is not there, before a request finds out. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PrivilegesTest {

  /** As in docs/databases.md. */
  private static final List<String> GRANTS =
      List.of(
          "GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO ",
          "GRANT SELECT, UPDATE ON once_meta TO ");

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

  private static void grantAll(DatabaseServer server, String url) throws SQLException {
    for (String grant : GRANTS) {
      execute(url, grant + userOf(server));
    }
    execute(
        url,
        server instanceof PostgresServer
            ? "GRANT USAGE ON SEQUENCE once_fence TO clerk"
            : "GRANT SELECT, INSERT ON once_fence TO 'clerk'@'%'");
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

  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("servers")
  void a_sequence_that_is_missing_is_named(DatabaseServer server) throws Exception {
    String url = DatabaseFixture.database(server);
    execute(url, "DROP SEQUENCE once_fence");

    assertThat(unfit(url, "privileges").orElseThrow()).contains("once_fence is missing");
  }

  @Test
  void a_function_that_is_missing_is_named() throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    execute(url, "DROP FUNCTION once_own_1");

    assertThat(unfit(url, "privileges").orElseThrow())
        .isEqualTo(
            "FUNCTION once_own_1 is missing: create it again as the file V2026.1 in the jar does");
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
