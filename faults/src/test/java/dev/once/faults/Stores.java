package dev.once.faults;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisCache;
import dev.once.stores.redis.RedisStore;
import dev.once.stores.tiered.TieredStore;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Stores by URL. */
final class Stores {

  private Stores() {}

  /** Opens it, also if its server has to be waited for: whoever starts a service tries again. */
  static Store open(String url) {
    return open(url, () -> openNow(url));
  }

  static Store open(String url, Supplier<Store> opening) {
    AtomicReference<Store> opened = new AtomicReference<>();
    Eventually.until(
        () -> "a store at " + url,
        () -> {
          try {
            opened.set(opening.get());
            return true;
          } catch (StoreException e) {
            return false;
          }
        });
    return opened.get();
  }

  private static Store openNow(String url) {
    String scheme = url.substring(0, url.indexOf(':'));
    return switch (scheme) {
      case "sqlite" -> JdbcStore.sqlite(Path.of(url.substring("sqlite:".length())));
      case "postgresql", "mariadb" -> JdbcStore.open(url);
      case "redis", "redis-sentinel", "redis-cluster" -> RedisStore.open(url);
      case "cached" -> TieredStore.cached(database(url), cache(url));
      case "fallback" -> TieredStore.fallback(cache(url), database(url));
      default -> throw new IllegalArgumentException("url: " + url);
    };
  }

  /** Of {@code form:postgresql://…|redis://…}. */
  private static Store database(String url) {
    return openNow(url.substring(url.indexOf(':') + 1, url.indexOf('|')));
  }

  private static Cache cache(String url) {
    return RedisCache.open(url.substring(url.indexOf('|') + 1));
  }
}
