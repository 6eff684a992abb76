package dev.once.spring.store;

import dev.once.core.OnceListener;
import dev.once.core.store.Store;
import dev.once.core.store.StoreUrl;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OnceProperties.StoreProperties;
import dev.once.spring.OnceProperties.StoreProperties.Kind;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Which store the application has, and opens it. The first of these that is there:
 *
 * <ol>
 *   <li>{@code once.store.url}.
 *   <li>What {@code once.store.kind} says.
 *   <li>The DataSource: it is durable, and where the effects are.
 *   <li>The Redis connection factory, which has to be one of Lettuce.
 *   <li>A SQLite file in the working directory.
 * </ol>
 *
 * One line of the log says which it is, and why.
 *
 * <p>A store that is embedded (a file) is opened on a thread of its own as soon as it is clear that
 * it is that, while the application goes on to start: that loads SQLite and creates tables. Who
 * needs the store waits for it, and the application is not ready before it is open.
 */
public final class StoreFinder implements DisposableBean {

  static final String EMBEDDED_FILE = "once.db";

  private static final String REDIS_FACTORY =
      "org.springframework.data.redis.connection.RedisConnectionFactory";

  private static final String KIND_SAYS_SO = "once.store.kind says so";

  private final StoreProperties properties;
  private final ListableBeanFactory beans;
  private final DataSources dataSources;
  private @Nullable CompletableFuture<Store> early;

  public StoreFinder(StoreProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
    this.dataSources = new DataSources(properties, beans);
  }

  /** Begins to open the store, if it is embedded. */
  public void begin() {
    StoreUrl url = embeddedUrl();
    if (url != null) {
      CompletableFuture<Store> opening = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  opening.complete(Stores.open(url));
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

  /** Where keys are kept if they are kept in this process; null if they are kept elsewhere. */
  private @Nullable StoreUrl embeddedUrl() {
    String url = properties.getUrl();
    if (url != null) {
      try {
        StoreUrl parsed = Stores.parse(url);
        boolean embedded = parsed.provider().isEmbedded() && properties.getKind() == Kind.AUTO;
        return embedded ? parsed : null;
      } catch (StoreUrlException e) {
        return null; // said when it is opened
      }
    }
    boolean embedded =
        properties.getKind() == Kind.EMBEDDED
            || (properties.getKind() == Kind.AUTO
                && properties.getDataSource() == null
                && !dataSources.areThere()
                && !hasRedis()
                && !hasRedisOfAnotherClient());
    return embedded ? fileUrl() : null;
  }

  private static StoreUrl fileUrl() {
    return Stores.parse("sqlite:" + Path.of(EMBEDDED_FILE).toAbsolutePath());
  }

  /** What was begun early; or opens it now. */
  private Store begun(StoreUrl url) {
    CompletableFuture<Store> opening = early;
    early = null;
    if (opening == null) {
      return opener().migrated(url);
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

  public Store open() {
    return opener().open(find());
  }

  private StoreOpener opener() {
    return new StoreOpener(
        properties,
        OnceListener.all(beans.getBeanProvider(OnceListener.class).orderedStream().toList()));
  }

  private FoundStore find() {
    StoreUrl url = StoreOpener.url("url", properties.getUrl(), StoreRole.STORE);
    Kind kind = properties.getKind();
    if (url != null) {
      if (kind != Kind.AUTO || properties.getDataSource() != null) {
        throw new OnceConfigurationException(
            "once.store.url and once.store."
                + (kind != Kind.AUTO ? "kind" : "data-source")
                + " are both set (expected: one of them)",
            "Remove one of them.");
      }
      return new FoundStore(
          "the " + url.scheme() + " store",
          "once.store.url says so",
          url.provider().roles(),
          () -> begun(url),
          () -> Stores.openCache(url));
    }
    return switch (kind) {
      case EMBEDDED -> embedded(KIND_SAYS_SO);
      case DATA_SOURCE -> database(KIND_SAYS_SO);
      case REDIS -> redis(KIND_SAYS_SO);
      case AUTO -> whatIsThere();
    };
  }

  /**
   * The DataSource that keys are kept in.
   *
   * @throws OnceConfigurationException if they are kept elsewhere
   */
  public DataSource dataSource() {
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

  private FoundStore whatIsThere() {
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
    if (redis) {
      return redis("it is the application's");
    }
    if (hasRedisOfAnotherClient()) {
      throw new OnceConfigurationException(
          "The Redis connection factory is not one of Lettuce (expected: a"
              + " LettuceConnectionFactory, which keys can be kept in)",
          "Set once.store.url to redis://HOST, with io.lettuce:lettuce-core on the class path. Or set"
              + " once.store.kind to embedded: then keys are kept in a file, which other machines do"
              + " not see.");
    }
    return embedded("there is neither a DataSource nor a Redis connection factory");
  }

  private boolean hasRedis() {
    return ClassUtils.isPresent(
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
            StoreFinder.class.getClassLoader())
        && ApplicationRedis.isThere(beans);
  }

  /** An application with a Redis, of Jedis say, has other processes: a file would not do. */
  private boolean hasRedisOfAnotherClient() {
    ClassLoader loader = StoreFinder.class.getClassLoader();
    return ClassUtils.isPresent(REDIS_FACTORY, loader)
        && beans.getBeanNamesForType(ClassUtils.resolveClassName(REDIS_FACTORY, loader)).length > 0;
  }

  private FoundStore embedded(String why) {
    StoreUrl url = fileUrl();
    String file = Path.of(EMBEDDED_FILE).toAbsolutePath().toString();
    return FoundStore.database("the file " + file, why, () -> begun(url));
  }

  private FoundStore database(String why) {
    DataSource dataSource = dataSources.get();
    return FoundStore.database(
        "the DataSource " + dataSources.name(),
        why,
        () -> {
          if (properties.isMigrate()) {
            JdbcStore.migrate(dataSource);
          }
          return StorePool.open(dataSource, properties.getPool(), beans);
        });
  }

  private FoundStore redis(String why) {
    if (!hasRedis()) {
      throw new OnceConfigurationException(
          "once.store.kind: redis, but there is no connection factory of Lettuce (expected: one)",
          "Add spring-boot-starter-data-redis, or set once.store.url to redis://HOST.");
    }
    return ApplicationRedis.find(beans, why);
  }
}
