package dev.once.stores.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreSetupException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** From a URL to a pool of connections, and from connections to the dialect that they speak. */
final class Databases {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Of a pool of our own: what is not used by any of them so long is closed, but for one. */
  private static final Duration MAX_IDLE = Duration.ofMinutes(1);

  /** How the states of SQL begin that say that user or password are wrong. */
  private static final String REFUSED_LOGIN = "28";

  private Databases() {}

  /**
   * A pool for this URL, which the caller closes.
   *
   * @throws dev.once.core.store.StoreUrlException if the URL is wrong
   * @throws StoreException if the database cannot be reached, or refuses
   */
  static HikariDataSource pool(String text) {
    DatabaseUrl url = DatabaseUrl.parse(text);
    Product product = url.product();
    HikariConfig config = new HikariConfig();
    config.setPoolName("once-" + product.scheme());
    setDriver(config, product);
    setSize(config, product.dialect());
    config.setJdbcUrl(url.jdbc());
    if (url.user() != null) {
      config.setUsername(url.user());
    }
    if (url.password() != null) {
      config.setPassword(url.password());
    }
    config.addDataSourceProperty("tcpKeepAlive", "true");
    long connect = CONNECT_TIMEOUT.dividedBy(product.unitOfTimeouts().getDuration());
    config.addDataSourceProperty("connectTimeout", Long.toString(connect));
    return connected(config, product.dialect());
  }

  /** By its name: a driver that is missing is told from a server that is. */
  private static void setDriver(HikariConfig config, Product product) {
    try {
      config.setDriverClassName(product.driver());
    } catch (RuntimeException e) {
      throw StoreSetupException.missing(product.scheme(), product.dependency(), e);
    }
  }

  private static HikariDataSource connected(HikariConfig config, Dialect dialect) {
    try {
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw dialect.explain("opening", failure);
      }
      throw new StoreException(
          dialect.name()
              + ": opening failed, the driver does not take the URL or one of its options (expected:"
              + " what its documentation names)",
          e);
    }
  }

  private static void setSize(HikariConfig config, Dialect dialect) {
    config.setMaximumPoolSize(Connections.all(dialect).total());
    config.setMinimumIdle(1);
    config.setIdleTimeout(MAX_IDLE.toMillis());
    config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
    config.setInitializationFailTimeout(1); // connects at once, and tells what is wrong
  }

  /**
   * A pool of our own, which the caller closes, with connections like those of the application's:
   * the same URL, user, driver, settings and metrics. Null if they cannot be told from it.
   *
   * @throws StoreException if the database cannot be reached, or refuses
   */
  static @Nullable HikariDataSource poolLike(DataSource application) {
    HikariDataSource theirs = hikari(application);
    if (theirs == null || theirs.getClass() != HikariDataSource.class) {
      return null; // a subclass may have its own way to find a password
    }
    HikariConfig config = new HikariConfig();
    theirs.copyStateTo(config);
    if (theirs.getUsername() != null) {
      config.setUsername(theirs.getUsername());
    }
    if (theirs.getPassword() != null) {
      config.setPassword(theirs.getPassword());
    }
    Dialect dialect = dialectOf(application);
    setSize(config, dialect);
    config.setPoolName("once-" + dialect.name());
    config.setAutoCommit(true);
    config.setReadOnly(false);
    config.setRegisterMbeans(false);
    config.setLeakDetectionThreshold(0); // a lane has its connection for long
    return connected(config, dialect);
  }

  /** How many connections this data source has; empty if that is not known. */
  static OptionalInt sizeOf(DataSource dataSource) {
    HikariDataSource pool = hikari(dataSource);
    return pool == null ? OptionalInt.empty() : OptionalInt.of(pool.getMaximumPoolSize());
  }

  private static @Nullable HikariDataSource hikari(DataSource dataSource) {
    try {
      return dataSource.isWrapperFor(HikariDataSource.class)
          ? dataSource.unwrap(HikariDataSource.class)
          : null;
    } catch (SQLException | RuntimeException e) {
      return null; // it does not say what it is
    }
  }

  /** The dialect of whatever is behind this data source, with the tables that are found now. */
  static Dialect dialectOf(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      Dialect here =
          Product.named(connection.getMetaData().getDatabaseProductName()).on(connection);
      if (!connection.getAutoCommit()) {
        connection.rollback(); // not every pool does
      }
      return here;
    } catch (SQLException e) {
      String text =
          String.valueOf(e.getSQLState()).startsWith(REFUSED_LOGIN)
              ? "database: refuses the login, %s (expected: a user and a password that it knows)"
              : "database: cannot be reached, %s (expected: it answers)";
      throw new StoreException(text.formatted(e.getMessage()), e);
    }
  }

  /** The dialect of a product, named as its driver names it. */
  static Dialect dialectNamed(String product) {
    return Product.named(product).dialect();
  }
}
