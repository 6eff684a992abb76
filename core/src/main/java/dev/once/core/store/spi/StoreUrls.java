package dev.once.core.store.spi;

import dev.once.core.store.StoreUrl;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store, and what is in front of it or behind it.
 *
 * @param store where keys and answers are kept
 * @param cache a cache in front of the store, which is a database then; null for none
 * @param fallback a database behind the store, which is used as a cache then; null for none
 */
public record StoreUrls(StoreUrl store, @Nullable StoreUrl cache, @Nullable StoreUrl fallback) {

  /**
   * Two that do not go together.
   *
   * @param part which one is out of place: {@code cache} or {@code fallback}
   * @param error what is wrong about it, to follow its name
   */
  public record Mismatch(String part, String error) {}

  /** What does not go together; empty if all does. */
  public Optional<Mismatch> mismatch() {
    return mismatch("store " + store, store.provider().roles(), cache != null, fallback != null);
  }

  /**
   * The same for a store that was not named by a URL.
   *
   * @param store its name for people, such as {@code the DataSource orders}
   */
  public static Optional<Mismatch> mismatch(
      String store, Set<StoreRole> roles, boolean hasCache, boolean hasFallback) {
    if (hasCache && hasFallback) {
      return Optional.of(new Mismatch("cache", "together with fallback (expected: one of them)"));
    }
    if (hasCache && !roles.contains(StoreRole.DATABASE)) {
      return Optional.of(
          new Mismatch(
              "cache",
              "in front of %s (expected: a store that is a database, such as %s)"
                  .formatted(store, "postgresql://HOST/DATABASE")));
    }
    if (hasFallback && !roles.contains(StoreRole.CACHE)) {
      return Optional.of(
          new Mismatch(
              "fallback",
              "behind %s (expected: a store that is a Redis, such as redis://HOST)"
                  .formatted(store)));
    }
    return Optional.empty();
  }
}
