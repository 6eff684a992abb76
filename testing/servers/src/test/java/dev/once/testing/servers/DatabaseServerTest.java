package dev.once.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class DatabaseServerTest {

  enum Kind {
    POSTGRESQL(PostgresServer::start),
    MARIADB(MariaDbServer::start);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Supplier<DatabaseServer> start;

    Kind(Supplier<DatabaseServer> start) {
      this.start = start;
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_was_committed_is_there_after_a_kill_and_a_restart(Kind kind) throws Exception {
    try (DatabaseServer server = kind.start.get()) {
      String url = server.newDatabase();
      try (Connection connection = DatabaseServer.connect(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE paid (id INT PRIMARY KEY)");
        statement.execute("INSERT INTO paid VALUES (42)");
      }
      Connection left = DatabaseServer.connect(url);
      server.kill();
      assertThat(left.isValid(1)).isFalse();
      server.restart();
      assertThat(first(url, "SELECT id FROM paid")).isEqualTo(42);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_paused_server_answers_when_it_goes_on(Kind kind) throws Exception {
    try (DatabaseServer server = kind.start.get();
        Connection connection = DatabaseServer.connect(server.url())) {
      server.pause();
      CompletableFuture<Integer> answer =
          CompletableFuture.supplyAsync(() -> first(connection, "SELECT 1"));
      assertThat(stateOf(server.pid())).isEqualTo('T');
      assertThat(answer).isNotDone();
      server.resume();
      assertThat(answer.join()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_closed_server_is_gone(Kind kind) {
    DatabaseServer server = kind.start.get();
    long pid = server.pid();
    server.close();
    assertThat(ProcessHandle.of(pid)).isEmpty();
    assertThatThrownBy(() -> DatabaseServer.connect(server.url()).close())
        .isInstanceOf(SQLException.class);
  }

  @ParameterizedTest
  @EnumSource
  void a_server_does_not_outlive_a_jvm_that_is_killed(Kind kind) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classPath = System.getProperty("java.class.path");
    Process owner =
        new ProcessBuilder(java.toString(), "-cp", classPath, Owner.class.getName(), kind.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long pid = Long.parseLong(owner.inputReader(StandardCharsets.UTF_8).readLine());
    assertThat(stateOf(pid)).isNotEqualTo('Z');
    owner.destroyForcibly().waitFor();
    Poll.until("the end of " + pid, () -> !ServerProcess.runs(pid));
  }

  /** A process that starts a server, says its id, and waits to be killed. */
  static final class Owner {
    public static void main(String[] arguments) throws IOException {
      System.out.println(Kind.valueOf(arguments[0]).start.get().pid());
      int read = System.in.read();
      throw new IllegalStateException("not killed: " + read);
    }
  }

  @Test
  void commits_are_durable() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        Connection connection = DatabaseServer.connect(server.url());
        Statement statement = connection.createStatement()) {
      for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
        ResultSet row = statement.executeQuery("SHOW " + setting);
        assertThat(row.next()).isTrue();
        assertThat(row.getString(1)).as(setting).isEqualTo("on");
      }
    }
    try (MariaDbServer server = MariaDbServer.start()) {
      assertThat(first(server.url(), "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo(1);
      assertThat(first(server.url(), "SELECT @@innodb_doublewrite = 'ON'")).isEqualTo(1);
    }
  }

  @Test
  void an_immediate_shutdown_of_postgresql_loses_nothing_that_was_committed() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      try (Connection connection = DatabaseServer.connect(server.url());
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE paid AS SELECT 42 AS id");
        server.stopImmediately();
      }
      server.restart();
      assertThat(first(server.url(), "SELECT id FROM paid")).isEqualTo(42);
    }
  }

  private static int first(String url, String query) throws SQLException {
    try (Connection connection = DatabaseServer.connect(url)) {
      return first(connection, query);
    }
  }

  private static int first(Connection connection, String query) {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static char stateOf(long pid) throws Exception {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
