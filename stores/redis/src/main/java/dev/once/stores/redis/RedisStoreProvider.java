package dev.once.stores.redis;

import dev.once.core.store.Cache;
import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.StoreSetupException;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code redis://…} and its forms for TLS, sentinels and clusters. Loads no client before it is
 * used.
 */
public final class RedisStoreProvider implements StoreProvider {

  private static final String CLIENT = "io.lettuce.core.RedisClient";

  @Override
  public Set<String> schemes() {
    return RedisUrl.SCHEMES.keySet();
  }

  @Override
  public List<String> forms() {
    return List.of(
        "redis://HOST", "rediss://HOST", "redis-sentinel://HOSTS#MASTER", "redis-cluster://HOSTS");
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE, StoreRole.CACHE);
  }

  @Override
  public Optional<String> suggestion(String url) {
    return url.startsWith("valkey")
        ? Optional.of("redis://HOST or rediss://HOST, for a Valkey too")
        : Optional.empty();
  }

  @Override
  public void validate(String url) {
    RedisUrl.parse(url);
  }

  @Override
  public Store open(String url) {
    requireClient();
    return RedisStore.open(url);
  }

  @Override
  public Cache openCache(String url) {
    requireClient();
    return RedisCache.open(url);
  }

  @Override
  public List<Finding> check(String url) {
    requireClient();
    return RedisStore.check(url);
  }

  @Override
  public String migrate(String url) {
    return "nothing to do: a Redis has no tables";
  }

  /** Some leave it out, who may have no Redis. */
  private static void requireClient() {
    try {
      Class.forName(CLIENT, false, RedisStoreProvider.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw StoreSetupException.missing("redis", "io.lettuce:lettuce-core", e);
    }
  }
}
