package dev.once.core.store;

import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Set;

/** {@code memory:}, a {@link MemoryStore}. */
final class MemoryStoreProvider implements StoreProvider {

  private static final String URL = "memory:";

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public List<String> forms() {
    return List.of(URL);
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE);
  }

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public void validate(String url) {
    if (!url.equals(URL)) {
      throw StoreUrlException.of(url, URL);
    }
  }

  @Override
  public Store open(String url) {
    validate(url);
    return new MemoryStore();
  }

  @Override
  public List<Finding> check(String url) {
    validate(url);
    return List.of(
        Finding.warning(
            "durability",
            "none: when the process ends all keys are forgotten, and a retry runs again"),
        Finding.warning(
            "sharing", "none: each process has its own keys; run one, or use another store"));
  }

  @Override
  public String migrate(String url) {
    validate(url);
    return "nothing to do: memory has no tables";
  }
}
