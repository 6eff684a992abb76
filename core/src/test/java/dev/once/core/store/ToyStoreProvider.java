package dev.once.core.store;

import dev.once.core.store.spi.ForwardingStore;
import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A store of somebody else's: this class and a line in META-INF/services are all that it has. */
public final class ToyStoreProvider implements StoreProvider {

  static final AtomicInteger OPEN = new AtomicInteger();

  @Override
  public Set<String> schemes() {
    return Set.of("toy");
  }

  @Override
  public List<String> forms() {
    return List.of("toy://HOST");
  }

  @Override
  public Set<StoreRole> roles() {
    return Set.of(StoreRole.STORE, StoreRole.DATABASE);
  }

  @Override
  public void validate(String url) {
    if (!url.startsWith("toy://")) {
      throw StoreUrlException.of(url, "toy://HOST");
    }
  }

  @Override
  public Store open(String url) {
    if (url.endsWith("gone")) {
      throw new StoreException("cannot reach " + url + "\nat all", null);
    }
    if (url.endsWith("empty")) {
      throw new StoreSetupException(StoreSetupException.Problem.TABLES, "no tables", null);
    }
    OPEN.incrementAndGet();
    return new ForwardingStore(new MemoryStore()) {
      @Override
      public void close() {
        OPEN.decrementAndGet();
        super.close();
      }
    };
  }

  @Override
  public List<Finding> check(String url) {
    open(url).close();
    return List.of(Finding.good("toy", "is a toy"));
  }

  @Override
  public String migrate(String url) {
    open(url).close();
    return "put the bricks into the box";
  }
}
