package dev.once.stores.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** H2 databases in memory, which live as long as the tests. */
final class H2Database {

  private H2Database() {}

  /** A new one, without tables. */
  static String newDatabase(String options) {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" + options;
  }

  /** A new one, with tables. */
  static String withTables(String options) {
    String url = newDatabase(options);
    JdbcStore.migrate(dataSource(url));
    return url;
  }

  /** Connections without a pool. */
  static DataSource dataSource(String url) {
    return dataSource(() -> connect(url));
  }

  /** Connections that are made so. */
  static DataSource dataSource(Callable<Connection> connecting) {
    return (DataSource)
        Proxy.newProxyInstance(
            H2Database.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return connecting.call();
            });
  }

  static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url, "sa", "");
  }

  static void execute(String url, String sql) {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
