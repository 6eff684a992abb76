package dev.once.faults;

import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreUrl;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreUrls;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Opens stores whose servers have to be waited for: whoever starts a service tries again. */
final class StoreOpening {

  private static final String CACHED = "cached:";
  private static final String FALLBACK = "fallback:";

  private StoreOpening() {}

  /**
   * A URL; or {@code cached:DATABASE|CACHE} or {@code fallback:DATABASE|CACHE}, as one argument.
   */
  static Store open(String url) {
    StoreUrls urls = parse(url);
    return open(url, () -> Stores.open(urls, () -> {}));
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

  private static StoreUrls parse(String url) {
    if (url.startsWith(CACHED)) {
      return new StoreUrls(database(url), cache(url), null);
    }
    return url.startsWith(FALLBACK)
        ? new StoreUrls(cache(url), null, database(url))
        : new StoreUrls(Stores.parse(url), null, null);
  }

  private static StoreUrl database(String url) {
    return Stores.parse(url.substring(url.indexOf(':') + 1, url.indexOf('|')));
  }

  private static StoreUrl cache(String url) {
    return Stores.parse(url.substring(url.indexOf('|') + 1));
  }
}
