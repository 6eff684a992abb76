package dev.once.testing.servers;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A real database server in processes of its own: durable, on a free port of this machine, with an
 * empty database. It can be killed, paused and restarted, and does not outlive this JVM. A server
 * that somebody else runs can be used too, but nothing can be done to it.
 */
public abstract sealed class DatabaseServer implements AutoCloseable
    permits PostgresServer, MariaDbServer {

  private final DatabaseUrl url;
  private final @Nullable Launch launch;
  private @Nullable ServerProcess process;

  /**
   * How to start a server that is ours.
   *
   * @param folder its own, deleted in the end
   */
  record Launch(List<String> command, Path folder) {}

  DatabaseServer(DatabaseUrl url, @Nullable Launch launch) {
    this.url = url;
    this.launch = launch;
  }

  // Where it is.

  /** Its database: {@code postgresql://user@host:port/database}. */
  public String url() {
    return url.toString();
  }

  public String jdbcUrl() {
    return url.jdbc();
  }

  public String user() {
    return url.user();
  }

  /** Empty if there is none. */
  public String password() {
    return url.password();
  }

  public int port() {
    return url.uri().getPort();
  }

  /** The process that others are children of. */
  public long pid() {
    return running().pid();
  }

  /** What JDBC calls the database of a URL, user and password included. */
  public static String jdbcUrl(String url) {
    return DatabaseUrl.of(url).jdbc();
  }

  /** A connection to the database of a URL. */
  public static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(url));
  }

  /** The URL of a new, empty database on this server. */
  public String newDatabase() {
    String name = "once_" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    try (Connection connection = connect(url());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("no new database on " + this, e);
    }
    return url.withDatabase(name).toString();
  }

  // What is done to it.

  /** kill -9 of all its processes, as a crash. */
  public synchronized void kill() {
    running().kill();
  }

  /** SIGSTOP of all its processes: connections stay open, and nobody answers. */
  public synchronized void pause() {
    running().pause();
  }

  /** SIGCONT. */
  public synchronized void resume() {
    running().resume();
  }

  /** False after a kill, and after it gave up by itself. */
  public synchronized boolean isRunning() {
    return running().isAlive();
  }

  /** Starts it again on the same port and data; one that still runs is stopped first. */
  public synchronized void restart() {
    if (running().isAlive()) {
      running().end(stopSignal());
    }
    begin();
  }

  /** Stops it by a signal, and waits until it has ended. */
  final synchronized void stop(String signal) {
    running().end(signal);
  }

  abstract String stopSignal();

  /** Starts it, and waits until it answers. */
  final void begin() {
    Launch how = ours();
    ServerProcess started =
        ServerProcess.start(how.command(), how.folder().resolve("log"), how.folder());
    process = started;
    Poll.until(this + " to answer", () -> !started.isAlive() || answers());
    if (!started.isAlive()) {
      throw new IllegalStateException(this + " ended:\n" + started.log());
    }
  }

  private boolean answers() {
    try (Connection connection = connect(url())) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** Closes it with this JVM, at the latest. */
  final void closeAtExit() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "close " + this));
  }

  private Launch ours() {
    if (launch == null) {
      throw new UnsupportedOperationException(this + ": not ours (expected: one we started)");
    }
    return launch;
  }

  private ServerProcess running() {
    ours();
    ServerProcess running = process;
    if (running == null) {
      throw new IllegalStateException(this + ": not started");
    }
    return running;
  }

  /** Ends it and deletes its data; one of somebody else stays as it is. */
  @Override
  public synchronized void close() {
    if (launch != null) {
      if (process != null && process.isAlive()) {
        process.kill();
      }
      Binaries.delete(launch.folder());
    }
  }

  /** What it wrote to its log. */
  public String log() {
    return running().log();
  }

  @Override
  public String toString() {
    return url.uri().getScheme() + " on port " + port();
  }
}
