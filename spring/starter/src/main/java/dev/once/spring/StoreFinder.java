package dev.once.spring;

import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.spring.OnceProperties.StoreProperties;
import dev.once.spring.OnceProperties.StoreProperties.Kind;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.util.ClassUtils;

/**
 * Which store the application has, and opens it. The first of these that is there:
 *
 * <ol>
 *   <li>{@code once.store.url}.
 *   <li>What {@code once.store.kind} says.
 *   <li>The DataSource: it is durable, and where the effects are.
 *   <li>The Redis connection factory.
 *   <li>A SQLite file in the working directory.
 * </ol>
 *
 * One line of the log says which it is, and why.
 *
 * <p>A file is opened on a thread of its own as soon as it is clear that it is a file, while the
 * application goes on to start: that loads SQLite and creates tables. Who needs the store waits for
 * it, and the application is not ready before it is open.
 */
final class StoreFinder implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(StoreFinder.class);

  static final String EMBEDDED_FILE = "once.db";
  private static final String SQLITE = "sqlite:";

  private static final String CHOOSE =
      "Set once.store.kind to data-source, redis or embedded, or once.store.url to a store of its"
          + " own.";

  private static final String EXPECTED_URLS =
      "memory:, sqlite:FILE, postgresql://HOST/DATABASE, mariadb://HOST/DATABASE, redis://HOST,"
          + " rediss://HOST, redis-sentinel://HOSTS#MASTER or redis-cluster://HOSTS";

  private final StoreProperties properties;
  private final ListableBeanFactory beans;
  private final DataSources dataSources;
  private @Nullable CompletableFuture<Store> early;

  StoreFinder(StoreProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
    this.dataSources = new DataSources(properties, beans);
  }

  /** Begins to open the store, if it is a file. */
  void begin() {
    Path file = file();
    if (file != null) {
      CompletableFuture<Store> opening = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  opening.complete(JdbcStore.sqlite(file));
                } catch (Throwable e) {
                  opening.completeExceptionally(e);
                }
              },
              "once-opening");
      thread.setDaemon(true);
      thread.start();
      early = opening;
    }
  }

  /** The file that keys are kept in; null if they are kept elsewhere. */
  private @Nullable Path file() {
    String url = properties.getUrl();
    if (url != null) {
      return url.startsWith(SQLITE) && properties.getKind() == Kind.AUTO
          ? Path.of(url.substring(SQLITE.length()))
          : null;
    }
    boolean embedded =
        properties.getKind() == Kind.EMBEDDED
            || (properties.getKind() == Kind.AUTO
                && properties.getDataSource() == null
                && !dataSources.areThere()
                && !hasRedis());
    return embedded ? Path.of(EMBEDDED_FILE).toAbsolutePath() : null;
  }

  private Store sqlite(Path file) {
    CompletableFuture<Store> opening = early;
    early = null;
    if (opening == null) {
      return JdbcStore.sqlite(file);
    }
    try {
      return opening.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Closes what nobody has asked for: another bean has failed before. */
  @Override
  public void destroy() {
    if (early != null) {
      early.thenAccept(Store::close).exceptionally(failure -> null).join();
    }
  }

  Store open() {
    String url = properties.getUrl();
    Kind kind = properties.getKind();
    if (url != null) {
      if (kind != Kind.AUTO || properties.getDataSource() != null) {
        throw new OnceConfigurationException(
            "once.store.url and once.store."
                + (kind != Kind.AUTO ? "kind" : "data-source")
                + " are both set (expected: one of them)",
            "Remove one of them.");
      }
      return byUrl(url);
    }
    return switch (kind) {
      case EMBEDDED -> embedded("once.store.kind says so");
      case DATA_SOURCE -> database("once.store.kind says so");
      case REDIS -> redis("once.store.kind says so");
      case AUTO -> whatIsThere();
    };
  }

  /**
   * The DataSource that keys are kept in.
   *
   * @throws OnceConfigurationException if they are kept elsewhere
   */
  DataSource dataSource() {
    boolean elsewhere =
        properties.getUrl() != null
            || properties.getKind() == Kind.EMBEDDED
            || properties.getKind() == Kind.REDIS;
    if (elsewhere) {
      throw new OnceConfigurationException(
          "Same-transaction mode is asked for, but once.store.%s puts the keys elsewhere (expected:"
                  .formatted(properties.getUrl() != null ? "url" : "kind")
              + " the DataSource that is written to)",
          "Remove that property: keys and writes can commit together only in one database. Or do"
              + " not ask for same-transaction.");
    }
    return dataSources.get();
  }

  private Store whatIsThere() {
    boolean redis = hasRedis();
    if (properties.getDataSource() != null) {
      return database("once.store.data-source names it");
    }
    if (dataSources.areThere()) {
      return database(
          redis
              ? "it is the application's; the Redis is not used for keys, unless once.store.kind=redis"
              : "it is the application's");
    }
    return redis
        ? redis("it is the application's")
        : embedded("there is neither a DataSource nor a Redis connection factory");
  }

  private boolean hasRedis() {
    return ClassUtils.isPresent(
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
            StoreFinder.class.getClassLoader())
        && RedisOfApplication.isThere(beans);
  }

  private Store embedded(String why) {
    Path file = Path.of(EMBEDDED_FILE).toAbsolutePath();
    return opened("the file " + file, why, () -> sqlite(file));
  }

  private Store database(String why) {
    DataSource dataSource = dataSources.get();
    return opened(
        "the DataSource " + dataSources.name(),
        why,
        () -> {
          if (properties.isMigrate()) {
            JdbcStore.migrate(dataSource);
          }
          return StorePool.open(dataSource, properties.getPool(), beans);
        });
  }

  private Store redis(String why) {
    if (!hasRedis()) {
      throw new OnceConfigurationException(
          "once.store.kind: redis, but there is no connection factory of Lettuce (expected: one)",
          "Add spring-boot-starter-data-redis, or set once.store.url to redis://HOST.");
    }
    return RedisOfApplication.open(beans, (name, opening) -> opened(name, why, opening));
  }

  private Store byUrl(String url) {
    String scheme = url.contains(":") ? url.substring(0, url.indexOf(':')) : url;
    Supplier<Store> opening =
        switch (scheme.toLowerCase(Locale.ROOT)) {
          case "memory" -> MemoryStore::new;
          case "sqlite" -> () -> sqlite(Path.of(url.substring(SQLITE.length())));
          case "postgresql", "postgres", "mariadb" -> () -> databaseAt(url);
          case "redis",
              "rediss",
              "redis-sentinel",
              "rediss-sentinel",
              "redis-cluster",
              "rediss-cluster" ->
              () -> RedisStore.open(url);
          default ->
              throw new OnceConfigurationException(
                  "once.store.url: a URL that begins with %s: (expected: %s)"
                      .formatted(scheme, EXPECTED_URLS),
                  scheme.equals("jdbc")
                      ? "Leave out the jdbc: in front, and put user and password before the host."
                      : "Change it to one of those that are expected.");
        };
    return opened("the " + scheme + " store", "once.store.url says so", opening);
  }

  private Store databaseAt(String url) {
    if (properties.isMigrate()) {
      JdbcStore.migrate(url);
    }
    return JdbcStore.open(url);
  }

  /** Opens it and says so; or says why that cannot be done. */
  private static Store opened(String name, String why, Supplier<? extends Store> opening) {
    Store store;
    try {
      store = opening.get();
    } catch (NoClassDefFoundError e) {
      throw new OnceConfigurationException(
          name + ": its client is not on the class path (" + e.getMessage() + ")",
          "Add io.lettuce:lettuce-core for Redis.",
          e);
    } catch (RuntimeException e) {
      throw new OnceConfigurationException(
          "Keys cannot be kept in " + name + ": " + e.getMessage(), advice(e), e);
    }
    log.info("Idempotency keys are kept in {}: {}.", name, why);
    return store;
  }

  private static String advice(RuntimeException failure) {
    String message = String.valueOf(failure.getMessage());
    if (message.contains("schema version")) {
      return "Set once.store.migrate=true to have the tables created or upgraded at the start; or"
          + " copy dev/once/stores/jdbc/postgresql (or mariadb)/V2026.1__once_idempotency_keys.sql"
          + " from the jar among your own migrations, under your next version.";
    }
    if (message.startsWith("pool: ")) {
      return StorePool.ENLARGE;
    }
    if (message.contains("expected: PostgreSQL or MariaDB")) {
      return CHOOSE;
    }
    return "See that it is there and answers, or choose another. " + CHOOSE;
  }

  /** The application's DataSources, and which of them it is. */
  static final class DataSources {
    private final StoreProperties properties;
    private final ListableBeanFactory beans;

    DataSources(StoreProperties properties, ListableBeanFactory beans) {
      this.properties = properties;
      this.beans = beans;
    }

    boolean areThere() {
      return !names().isEmpty();
    }

    private List<String> names() {
      return List.of(beans.getBeanNamesForType(DataSource.class, true, false));
    }

    /** The one that is named; or the only one, or the primary one. */
    DataSource get() {
      String name = properties.getDataSource();
      if (name != null) {
        if (!names().contains(name)) {
          throw new OnceConfigurationException(
              "once.store.data-source: %s (expected: one of %s)".formatted(name, names()),
              "Name a DataSource that is there.");
        }
        return beans.getBean(name, DataSource.class);
      }
      if (!areThere()) {
        throw new OnceConfigurationException(
            "There is no DataSource (expected: one, to keep keys in)",
            "Configure one by spring.datasource.url. Or: " + CHOOSE);
      }
      try {
        return beans.getBean(DataSource.class);
      } catch (NoUniqueBeanDefinitionException e) {
        throw new OnceConfigurationException(
            "There are several DataSources, and none is primary: %s (expected: one to keep keys in)"
                .formatted(names()),
            "Set once.store.data-source to the name of one, mark one as @Primary, or choose"
                + " another store. "
                + CHOOSE,
            e);
      }
    }

    String name() {
      String name = properties.getDataSource();
      return name != null ? name : names().size() == 1 ? names().get(0) : "that is primary";
    }
  }
}
