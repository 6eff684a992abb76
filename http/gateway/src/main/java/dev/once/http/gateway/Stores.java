package dev.once.http.gateway;

import dev.once.core.store.Cache;
import dev.once.core.store.Finding;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisCache;
import dev.once.stores.redis.RedisStore;
import dev.once.stores.tiered.TieredSettings;
import dev.once.stores.tiered.TieredStore;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * Stores by their URLs. Only what a URL needs is loaded: neither a driver nor the client of Redis
 * is, unless it is used.
 */
public final class Stores {

  private Stores() {}

  /**
   * Opens the store that the settings name, with what is before or behind it.
   *
   * @param onFallback is called whenever the database replies because Redis does not
   */
  static Store open(GatewaySettings settings, Runnable onFallback) {
    StoreUrl store = settings.store();
    StoreUrl cache = settings.cache();
    StoreUrl fallback = settings.fallback();
    if (cache != null) {
      TieredSettings how = TieredSettings.forCache().withOnFallback(onFallback);
      Store database = open("store", store);
      return closing(database, () -> TieredStore.cached(database, cache("cache", cache), how));
    }
    if (fallback != null) {
      TieredSettings how = TieredSettings.forFallback().withOnFallback(onFallback);
      Store database = open("fallback", fallback);
      return closing(database, () -> TieredStore.fallback(cache("store", store), database, how));
    }
    return open("store", store);
  }

  private static Store open(String name, StoreUrl url) {
    return named(
        name,
        url,
        () ->
            switch (url.kind()) {
              case MEMORY -> new MemoryStore();
              case SQLITE -> JdbcStore.sqlite(Path.of(url.file()));
              case DATABASE -> JdbcStore.open(url.text());
              case REDIS -> RedisStore.open(url.text());
            });
  }

  private static Cache cache(String name, StoreUrl url) {
    return named(name, url, () -> RedisCache.open(url.text()));
  }

  private static <T> T named(String name, StoreUrl url, Supplier<T> opening) {
    try {
      return opening.get();
    } catch (RuntimeException e) {
      throw new GatewayException(name + ": " + url + ": " + reason(e), e);
    }
  }

  private static Store closing(Store database, Supplier<Store> rest) {
    try {
      return rest.get();
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** How fit a store is to hold keys. One that cannot be reached is a finding too. */
  public static List<Finding> check(StoreUrl url) {
    try {
      return switch (url.kind()) {
        case MEMORY ->
            List.of(
                Finding.warning(
                    "durability",
                    "none: when the process ends all keys are forgotten, and a retry runs again"),
                Finding.warning(
                    "sharing",
                    "none: each gateway has its own keys; run one, or use another store"));
        case SQLITE -> JdbcStore.checkSqlite(Path.of(url.file()));
        case DATABASE -> JdbcStore.check(url.text());
        case REDIS -> RedisStore.check(url.text());
      };
    } catch (StoreException e) {
      return List.of(Finding.unfit("connection", reason(e)));
    }
  }

  /**
   * Creates or upgrades what a store needs before it can be used.
   *
   * @return what was done, for people
   * @throws GatewayException if it cannot be done
   */
  public static String migrate(StoreUrl url) {
    return switch (url.kind()) {
      case MEMORY -> "nothing to do: memory has no tables";
      case REDIS -> "nothing to do: a Redis has no tables";
      case SQLITE -> told(named("store", url, () -> JdbcStore.migrateSqlite(Path.of(url.file()))));
      case DATABASE -> told(named("store", url, () -> JdbcStore.migrate(url.text())));
    };
  }

  private static String told(JdbcStore.Migration migration) {
    int from = migration.from();
    int to = migration.to();
    if (from == to) {
      return "nothing to do: the tables are there, schema version " + to;
    }
    return from == 0
        ? "created the tables: there were none, now schema version " + to
        : "upgraded the tables: was schema version " + from + ", is " + to;
  }

  /** Drivers repeat what they were given. */
  private static String reason(RuntimeException failure) {
    return StoreUrl.maskedWithin(String.valueOf(failure.getMessage()))
        .replaceAll("\\s+", " ")
        .strip();
  }
}
