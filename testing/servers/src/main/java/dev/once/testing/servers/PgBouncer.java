package dev.once.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A PgBouncer in front of a database: it lends its few server connections for a transaction each.
 * Without the program ({@code apt-get install pgbouncer}) the test is skipped.
 */
public final class PgBouncer implements AutoCloseable {

  private static final ServerUser USER = ServerUser.notRoot();

  private final Path folder;
  private final ServerProcess process;
  private final DatabaseUrl url;

  private PgBouncer(Path folder, ServerProcess process, DatabaseUrl url) {
    this.folder = folder;
    this.process = process;
    this.url = url;
  }

  /** One in transaction mode. */
  public static PgBouncer start(String databaseUrl, int serverConnections) {
    return start(databaseUrl, serverConnections, "transaction");
  }

  /**
   * One in front of a database.
   *
   * @param serverConnections how many it has, for any number of clients
   * @param mode {@code transaction} or {@code session}
   */
  public static PgBouncer start(String databaseUrl, int serverConnections, String mode) {
    Path program =
        Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(() -> Assumptions.abort("pgbouncer: not installed (expected: installed)"));
    DatabaseUrl behind = DatabaseUrl.of(databaseUrl);
    int port = Ports.free();
    Path folder = Binaries.newFolder("pgbouncer");
    try {
      Files.writeString(
          folder.resolve("pgbouncer.ini"),
          """
          [databases]
          * = host=%s port=%d user=%s
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = any
          pool_mode = %s
          default_pool_size = %d
          max_client_conn = 500
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(
                  behind.uri().getHost(),
                  behind.uri().getPort(),
                  behind.user(),
                  port,
                  mode,
                  serverConnections));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    USER.own(folder);
    List<String> command =
        USER.command(List.of(program.toString(), folder.resolve("pgbouncer.ini").toString()));
    DatabaseUrl url =
        DatabaseUrl.of(
            "postgresql://%s@127.0.0.1:%d%s"
                .formatted(behind.user(), port, behind.uri().getPath()));
    PgBouncer started =
        new PgBouncer(folder, ServerProcess.start(command, folder.resolve("log"), folder), url);
    Poll.until("pgbouncer to answer", () -> !started.process.isAlive() || started.answers());
    if (!started.process.isAlive()) {
      throw new IllegalStateException("pgbouncer ended:\n" + started.process.log());
    }
    return started;
  }

  private boolean answers() {
    try (Connection connection = DatabaseServer.connect(url())) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** The database as clients of the pooler see it. */
  public String url() {
    return url.toString();
  }

  @Override
  public void close() {
    process.kill();
    Binaries.delete(folder);
  }
}
