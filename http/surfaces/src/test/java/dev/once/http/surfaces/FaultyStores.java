package dev.once.http.surfaces;

import dev.once.core.store.Finding;
import dev.once.core.store.Store;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Stores of tests by {@code faulty:NAME}: the gateway opens its store by a URL. */
public final class FaultyStores implements StoreProvider {

  private static final String SCHEME = "faulty";
  private static final Map<String, FaultyStore> BY_URL = new ConcurrentHashMap<>();

  /** Gives a store a URL. */
  static String add(FaultyStore store) {
    String url = SCHEME + ":" + UUID.randomUUID();
    BY_URL.put(url, store);
    return url;
  }

  @Override
  public Set<String> schemes() {
    return Set.of(SCHEME);
  }

  @Override
  public List<String> forms() {
    return List.of("faulty:NAME");
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE);
  }

  @Override
  public void validate(String url) {
    open(url);
  }

  @Override
  public Store open(String url) {
    FaultyStore store = BY_URL.get(url);
    if (store == null) {
      throw new IllegalArgumentException(url + " (expected: one of " + BY_URL.keySet() + ")");
    }
    return store;
  }

  @Override
  public List<Finding> check(String url) {
    return List.of();
  }

  @Override
  public String migrate(String url) {
    return "nothing to do";
  }
}
