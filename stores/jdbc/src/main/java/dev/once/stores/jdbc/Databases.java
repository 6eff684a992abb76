package dev.once.stores.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.store.StoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** From a URL to a pool of connections, and from connections to the dialect that they speak. */
final class Databases {

  private static final String EXPECTED =
      "postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE or mariadb://…";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Of a pool of our own: what is not used by any of them so long is closed, but for one. */
  private static final Duration MAX_IDLE = Duration.ofMinutes(1);

  private static final Map<String, String> DRIVERS =
      Map.of(
          "postgresql",
          "org.postgresql:postgresql",
          "mariadb",
          "org.mariadb.jdbc:mariadb-java-client");

  private static final Set<String> SCHEMES = Set.of("postgresql", "postgres", "mariadb");

  private Databases() {}

  /**
   * A pool for this URL, which the caller closes.
   *
   * @throws StoreException if the database cannot be reached, or refuses
   */
  static HikariDataSource pool(String url) {
    URI uri = parse(url);
    String scheme = uri.getScheme().equals("mariadb") ? "mariadb" : "postgresql";
    Dialect dialect = dialect(scheme);
    HikariConfig config = new HikariConfig();
    config.setPoolName("once-" + scheme);
    setSize(config, dialect);
    config.setJdbcUrl(jdbcUrl(uri, scheme));
    String[] user =
        uri.getRawUserInfo() == null ? new String[0] : uri.getRawUserInfo().split(":", 2);
    if (user.length > 0) {
      config.setUsername(decode(user[0]));
    }
    if (user.length > 1) {
      config.setPassword(decode(user[1]));
    }
    config.addDataSourceProperty("tcpKeepAlive", "true");
    // Seconds for the one, milliseconds for the other.
    long connect =
        scheme.equals("mariadb") ? CONNECT_TIMEOUT.toMillis() : CONNECT_TIMEOUT.toSeconds();
    config.addDataSourceProperty("connectTimeout", Long.toString(connect));
    try {
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw dialect.explain("opening", failure);
      }
      throw new StoreException(
          "%s: no driver for it (expected: %s on the class path)"
              .formatted(scheme, DRIVERS.get(scheme)),
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
    try {
      return new HikariDataSource(config);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw dialect.explain("opening", failure);
      }
      throw e;
    }
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

  private static URI parse(String url) {
    try {
      URI uri = new URI(url);
      if (uri.getHost() != null
          && uri.getPath() != null
          && uri.getPath().length() > 1
          && SCHEMES.contains(uri.getScheme())) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // Said below, without the URL: it may hold a password.
    }
    throw new StoreException("store: not a URL of a database (expected: " + EXPECTED + ")", null);
  }

  private static String jdbcUrl(URI uri, String scheme) {
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return "jdbc:" + scheme + "://" + uri.getHost() + port + uri.getRawPath() + query;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static Dialect dialect(String scheme) {
    return scheme.equals("mariadb") ? new MariaDbDialect() : new PostgresDialect();
  }

  /** The dialect of whatever is behind this data source, with the tables that are found now. */
  static Dialect dialectOf(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      Dialect dialect = dialectNamed(connection.getMetaData().getDatabaseProductName());
      if (dialect instanceof SqliteDialect) {
        throw new StoreException(
            "database: SQLite (expected: PostgreSQL or MariaDB); use JdbcStore.sqlite", null);
      }
      Dialect here =
          dialect instanceof PostgresDialect
              ? PostgresDialect.on(connection)
              : MariaDbDialect.on(connection);
      if (!connection.getAutoCommit()) {
        connection.rollback(); // not every pool does
      }
      return here;
    } catch (SQLException e) {
      throw new StoreException(
          "database: cannot be reached, " + e.getMessage() + " (expected: it answers)", e);
    }
  }

  /** The dialect of a product, named as its driver names it. */
  static Dialect dialectNamed(String product) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> new PostgresDialect();
      case "mariadb" -> new MariaDbDialect();
      case "sqlite" -> new SqliteDialect(Path.of("sqlite"));
      default ->
          throw new StoreException(
              "database: " + product + " (expected: PostgreSQL, MariaDB or SQLite)", null);
    };
  }
}
