package dev.once.stores.jdbc;

import dev.once.core.store.Store;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.DatabaseServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** Stores in a database of a server, emptied for each test, with the statements counted. */
final class DatabaseFixture implements StoreFixture {

  final String url;
  private final ObservedDataSource observed;
  private final UnaryOperator<Store> caller;
  private final List<Store> handles = new ArrayList<>();

  DatabaseFixture(String url) {
    this(url, store -> store);
  }

  /**
   * @param caller how the store is called
   */
  DatabaseFixture(String url, UnaryOperator<Store> caller) {
    this.url = url;
    this.caller = caller;
    this.observed = new ObservedDataSource(dataSource(url));
    execute("DELETE FROM idempotency_keys");
    another();
  }

  /** A database with tables; to make one costs more than a test. */
  static String database(DatabaseServer server) {
    String url = server.newDatabase();
    JdbcStore.migrate(url);
    return url;
  }

  /** Connections without a pool. */
  static DataSource dataSource(String url) {
    if (url.startsWith("jdbc:h2:")) {
      return H2Database.dataSource(url);
    }
    return (DataSource)
        Proxy.newProxyInstance(
            DatabaseFixture.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return DatabaseServer.connect(url);
            });
  }

  /** A pool of this connection, which it gives to everybody and leaves open. */
  static DataSource poolOf(Connection connection) {
    ClassLoader loader = DatabaseFixture.class.getClassLoader();
    Object lent =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
    return (DataSource)
        Proxy.newProxyInstance(
            loader, new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> lent);
  }

  @Override
  public Store store() {
    return handles.get(0);
  }

  @Override
  public Store another() {
    Store store = caller.apply(JdbcStore.on(observed.asDataSource()));
    handles.add(store);
    return store;
  }

  @Override
  public Store reopened() {
    close();
    return another();
  }

  @Override
  public void timePasses(Duration duration) {
    execute(
        """
        UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
            lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
        """
            .formatted(duration.toMillis()));
  }

  private Connection connect() throws SQLException {
    return dataSource(url).getConnection();
  }

  void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  long number(String query) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }

  @Override
  public OptionalLong roundTrips() {
    return OptionalLong.of(observed.statements.get() + observed.commits.get());
  }

  @Override
  public void close() {
    handles.forEach(Store::close);
    handles.clear();
  }
}
