package dev.once.http.gateway;

import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import java.nio.file.Path;

/** Opens a store by its URL. */
final class Stores {

  private Stores() {}

  static Store open(String url) {
    try {
      if (url.equals("memory:")) {
        return new MemoryStore();
      }
      if (url.startsWith("sqlite:") && url.length() > "sqlite:".length()) {
        return JdbcStore.sqlite(Path.of(url.substring("sqlite:".length())));
      }
    } catch (RuntimeException e) {
      throw new GatewayException("store: " + url + ": " + e.getMessage(), e);
    }
    throw new GatewayException("store: " + url + " (expected: memory: or sqlite:FILE)", null);
  }
}
