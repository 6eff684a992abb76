package dev.once.core.store;

import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Set;

/** A cache of somebody else's, which is of no use: it opens nothing. */
public final class ToyCacheProvider implements StoreProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("toycache");
  }

  @Override
  public List<String> forms() {
    return List.of("toycache:");
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE, StoreRole.CACHE);
  }

  @Override
  public void validate(String url) {}

  @Override
  public Store open(String url) {
    throw new StoreException("broken", null);
  }

  @Override
  public List<Finding> check(String url) {
    return List.of(Finding.unfit("toy", "broken"));
  }

  @Override
  public String migrate(String url) {
    return "nothing to do";
  }
}
