package dev.once.faults;

import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisStore;
import java.nio.file.Path;

/** Stores by URL. */
final class Stores {

  private Stores() {}

  static Store open(String url) {
    String scheme = url.substring(0, url.indexOf(':'));
    return switch (scheme) {
      case "sqlite" -> JdbcStore.sqlite(Path.of(url.substring("sqlite:".length())));
      case "postgresql", "mariadb" -> JdbcStore.open(url);
      case "redis" -> RedisStore.open(url);
      default -> throw new IllegalArgumentException("url: " + url);
    };
  }
}
