package dev.once.core.store;

import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreRole;
import dev.once.core.store.spi.StoreUrls;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Stores by their URLs: {@code memory:}, and those of every {@link StoreProvider} that is there.
 * Only what a URL needs is loaded: neither a driver nor the client of Redis is, unless it is used.
 */
public final class Stores {

  private Stores() {}

  /**
   * Reads the URL of a store, and connects to nothing. A scheme that says everything needs no
   * colon: {@code memory}.
   *
   * @throws StoreUrlException if it is wrong, or nothing on the class path can open it
   */
  public static StoreUrl parse(String text) {
    return parse(text, StoreRole.STORE);
  }

  /** {@link #parse(String)}, of a URL that is to be used as this. */
  public static StoreUrl parse(String text, StoreRole role) {
    int colon = text.indexOf(':');
    String scheme = (colon < 0 ? text : text.substring(0, colon)).toLowerCase(Locale.ROOT);
    StoreProvider provider =
        StoreProviders.of(scheme).orElseThrow(() -> unknown(scheme, text, role));
    if (!provider.roles().contains(role)) {
      throw StoreUrlException.of(text, expected(role));
    }
    StoreUrl url = new StoreUrl(scheme + (colon < 0 ? ":" : text.substring(colon)), provider);
    provider.validate(url.text());
    return url;
  }

  private static StoreUrlException unknown(String scheme, String text, StoreRole role) {
    String dependency = StoreProviders.dependencyFor(scheme);
    if (dependency != null) {
      return new StoreUrlException(
          "'" + CredentialMasking.url(text) + "' " + StoreSetupException.needs(dependency));
    }
    return StoreUrlException.of(
        text,
        StoreProviders.all().stream()
            .flatMap(provider -> provider.suggestion(text).stream())
            .findFirst()
            .orElseGet(() -> expected(role)));
  }

  /** How URLs look that can be used as this, each in short. */
  public static List<String> forms(StoreRole role) {
    return StoreProviders.all().stream()
        .filter(provider -> provider.roles().contains(role))
        .flatMap(provider -> provider.forms().stream())
        .toList();
  }

  /** {@link #forms}, as a list for people. */
  public static String expected(StoreRole role) {
    List<String> forms = forms(role);
    int last = forms.size() - 1;
    return last < 1
        ? String.join("", forms)
        : String.join(", ", forms.subList(0, last)) + " or " + forms.get(last);
  }

  /** What may be a URL, without its user and passwords. */
  public static String masked(String text) {
    Optional<StoreProvider> provider =
        StoreProviders.of(text.substring(0, Math.max(0, text.indexOf(':'))));
    return provider.isPresent() && !provider.get().hasSecrets()
        ? text
        : CredentialMasking.url(text);
  }

  /**
   * Opens the store at this URL.
   *
   * @throws StoreUrlException if the URL is wrong
   * @throws StoreException if it cannot be used, with the reason and what to do
   */
  public static Store open(String url) {
    return open(parse(url));
  }

  /** {@link #open(String)} of a URL that was read before. */
  public static Store open(StoreUrl url) {
    return explained(url.toString(), () -> url.provider().open(url.text()));
  }

  /**
   * Opens a store, with the cache in front of it or the fallback behind it.
   *
   * @param onFallback is called whenever a cache gives no reply and the database is asked; it must
   *     not block
   * @throws IllegalArgumentException if they do not go together: {@link StoreUrls#mismatch}
   * @throws StoreException if one of them cannot be used; the message begins with its name
   */
  public static Store open(StoreUrls urls, Runnable onFallback) {
    urls.mismatch()
        .ifPresent(
            mismatch -> {
              throw new IllegalArgumentException(mismatch.part() + ": " + mismatch.error());
            });
    StoreUrl cache = urls.cache();
    StoreUrl fallback = urls.fallback();
    if (cache != null) {
      return cached(open("store", urls.store()), cache, onFallback);
    }
    if (fallback != null) {
      Store database = open("fallback", fallback);
      return fallback(database, () -> openCache("store", urls.store()), onFallback);
    }
    return open("store", urls.store());
  }

  private static Store open(String name, StoreUrl url) {
    return explained(name, () -> open(url));
  }

  /**
   * Opens the cache at this URL: see {@link StoreRole#CACHE}.
   *
   * @throws StoreException if it cannot be used, with the reason and what to do
   */
  public static Cache openCache(StoreUrl url) {
    return explained(url.toString(), () -> url.provider().openCache(url.text()));
  }

  private static Cache openCache(String name, StoreUrl url) {
    return explained(name, () -> openCache(url));
  }

  /**
   * This database with a cache in front of it. Closing the store closes both, and so does a
   * failure.
   *
   * @param onFallback is called whenever the cache gives no reply; it must not block
   */
  public static Store cached(Store database, StoreUrl cache, Runnable onFallback) {
    return closing(
        database,
        () -> StoreProviders.tiers().cached(database, openCache("cache", cache), onFallback));
  }

  /**
   * A cache that answers for as long as it is there, with this database behind it. Closing the
   * store closes both, and so does a failure.
   *
   * @param onFallback is called whenever the cache gives no reply; it must not block
   */
  public static Store fallback(
      Store database, Supplier<? extends Cache> cache, Runnable onFallback) {
    return closing(
        database, () -> StoreProviders.tiers().fallback(database, cache.get(), onFallback));
  }

  private static Store closing(Store database, Supplier<Store> both) {
    try {
      return both.get();
    } catch (Throwable e) {
      database.close();
      throw e;
    }
  }

  /** Says how fit a store is to hold keys. One that cannot be reached is a finding too. */
  public static List<Finding> check(StoreUrl url) {
    try {
      return url.provider().check(url.text());
    } catch (StoreSetupException e) {
      return List.of(Finding.unfit("setup", reason(e)));
    } catch (StoreException e) {
      return List.of(Finding.unfit("connection", reason(e)));
    }
  }

  /**
   * Creates or upgrades what a store needs before it can be used.
   *
   * @return what was done, for people
   * @throws StoreException if it cannot be done
   */
  public static String migrate(StoreUrl url) {
    return explained(url.toString(), () -> url.provider().migrate(url.text()));
  }

  private static <T> T explained(String name, Supplier<? extends T> step) {
    try {
      return step.get();
    } catch (StoreSetupException e) {
      throw new StoreSetupException(e.problem(), name + ": " + reason(e), e);
    } catch (RuntimeException e) {
      throw new StoreException(name + ": " + reason(e), e);
    }
  }

  /** Drivers repeat what they were given. */
  private static String reason(RuntimeException failure) {
    return CredentialMasking.sentence(String.valueOf(failure.getMessage()));
  }
}
