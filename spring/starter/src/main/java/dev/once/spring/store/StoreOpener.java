package dev.once.spring.store;

import dev.once.core.OnceListener;
import dev.once.core.store.Store;
import dev.once.core.store.StoreSetupException;
import dev.once.core.store.StoreUrl;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.Stores;
import dev.once.core.store.spi.StoreRole;
import dev.once.core.store.spi.StoreUrls;
import dev.once.spring.OnceConfigurationException;
import dev.once.spring.OnceProperties.StoreProperties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the store that was found, with its cache or fallback, and logs that; or reports why it
 * cannot be opened, and what to do.
 */
final class StoreOpener {

  private static final Logger log = LoggerFactory.getLogger(StoreFinder.class);

  static final String CHOOSE =
      "Set once.store.kind to data-source, redis or embedded, or once.store.url to a store of its"
          + " own.";

  private final StoreProperties properties;
  private final OnceListener listener;

  StoreOpener(StoreProperties properties, OnceListener listener) {
    this.properties = properties;
    this.listener = listener;
  }

  Store open(FoundStore found) {
    StoreUrl cache = url("cache", properties.getCache(), StoreRole.CACHE);
    StoreUrl fallback = url("fallback", properties.getFallback(), StoreRole.DATABASE);
    StoreUrls.mismatch(found.name(), found.roles(), cache != null, fallback != null)
        .ifPresent(
            mismatch -> {
              throw new OnceConfigurationException(
                  "once.store." + mismatch.part() + ": " + mismatch.error(),
                  "Remove it, or choose the store that goes with it. " + CHOOSE);
            });
    if (cache != null) {
      return opened(
          found.name() + ", with " + cache + " in front",
          found.why(),
          () -> Stores.cached(found.store().get(), cache, listener::fellBack));
    }
    if (fallback != null) {
      return opened(
          fallback + ", with " + found.name() + " in front",
          "once.store.fallback says so",
          () -> Stores.fallback(migrated(fallback), found.cache(), listener::fellBack));
    }
    return opened(found.name(), found.why(), found.store());
  }

  /** Opens it, with its tables made before if that is asked for. */
  Store migrated(StoreUrl url) {
    // What is embedded makes its own tables, and rewrites its file only when a person says so.
    if (properties.isMigrate() && !url.provider().isEmbedded()) {
      Stores.migrate(url);
    }
    return Stores.open(url);
  }

  /**
   * Reads one of the URLs of {@code once.store}; null if there is none.
   *
   * @throws OnceConfigurationException if it is wrong
   */
  static @Nullable StoreUrl url(String name, @Nullable String text, StoreRole role) {
    try {
      return text == null ? null : Stores.parse(text, role);
    } catch (StoreUrlException e) {
      throw OnceConfigurationException.badValue("once.store." + name + ": ", e, "");
    }
  }

  private static Store opened(String name, String why, Supplier<? extends Store> opening) {
    Store store;
    try {
      store = opening.get();
    } catch (RuntimeException e) {
      throw new OnceConfigurationException(
          "Keys cannot be kept in " + name + ": " + e.getMessage(), advice(e), e);
    }
    log.info("Idempotency keys are kept in {}: {}.", name, why);
    return store;
  }

  private static String advice(RuntimeException failure) {
    if (!(failure instanceof StoreSetupException setup)) {
      return "See that it is there and answers, or choose another. " + CHOOSE;
    }
    return switch (setup.problem()) {
      case DEPENDENCY -> "Add that dependency.";
      case TABLES ->
          "Set once.store.migrate=true to have the tables created or upgraded at the start; or"
              + " copy dev/once/stores/jdbc/postgresql (or mariadb, h2)/V2026.1__once_idempotency_keys.sql"
              + " from the jar among your own migrations, under your next version.";
      case NEWER_TABLES -> "Use that version of Once, or another database.";
      case POOL -> StorePool.ENLARGE;
      case DATABASE ->
          "To keep the keys in a file of this machine set once.store.kind=embedded (the file is "
              + StoreFinder.EMBEDDED_FILE
              + ") or once.store.url=sqlite:FILE; in memory, until the process ends:"
              + " once.store.url=memory:. For several processes set once.store.url to"
              + " postgresql://HOST/DATABASE, mariadb://HOST/DATABASE or redis://HOST. Same-transaction"
              + " mode needs a DataSource of a database that is supported.";
    };
  }
}
