package dev.once.faults;

import dev.once.stores.jdbc.JdbcStore;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** PostgreSQL or MariaDB. */
final class DatabaseSubject implements Subject {

  /** How the SQL states of deadlocks begin. */
  private static final String ROLLED_BACK = "40";

  private final DatabaseServer server;
  private final FaultProxy proxy;

  DatabaseSubject(DatabaseServer server) {
    this.server = server;
    this.proxy = FaultProxy.to(server.port());
  }

  @Override
  public String newStore() {
    String url = server.newDatabase();
    JdbcStore.migrate(url);
    return url;
  }

  @Override
  public FaultProxy proxy() {
    return proxy;
  }

  @Override
  public String throughProxy(String url) {
    return proxy.url(url);
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void restart() {
    server.restart();
  }

  @Override
  public void pause() {
    server.pause();
  }

  @Override
  public void resume() {
    server.resume();
  }

  /**
   * No process can be given another clock without a library that is not ours to bring. But the
   * store compares its clock with nothing but the times in its records: to make them all older, in
   * one transaction, is the same as to set the clock forward.
   */
  @Override
  public void moveClock(String url, Duration by) {
    while (!isClockMoved(url, by)) {
      // It met a batch that has rows in another order, and was the one to be rolled back.
    }
  }

  private static boolean isClockMoved(String url, Duration by) {
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
              lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
          """
              .formatted(by.toMillis()));
      return true;
    } catch (SQLException e) {
      if (e.getSQLState() != null && e.getSQLState().startsWith(ROLLED_BACK)) {
        return false;
      }
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    proxy.close();
    server.close();
  }
}
