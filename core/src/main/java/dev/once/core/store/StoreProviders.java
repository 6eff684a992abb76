package dev.once.core.store;

import dev.once.core.store.spi.StoreProvider;
import dev.once.core.store.spi.StoreTiers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** What is there to open stores with: on the class path, or among the modules. */
final class StoreProviders {

  private static final String JDBC = "dev.once:once-stores-jdbc";
  private static final String REDIS = "dev.once:once-stores-redis";
  private static final String TIERED = "dev.once:once-stores-tiered";

  /** Only to say what is missing: a provider that is there says itself what it opens. */
  private static final Map<String, String> DEPENDENCIES =
      Map.of(
          "sqlite", JDBC,
          "postgresql", JDBC,
          "postgres", JDBC,
          "mariadb", JDBC,
          "redis", REDIS,
          "rediss", REDIS,
          "redis-sentinel", REDIS,
          "rediss-sentinel", REDIS,
          "redis-cluster", REDIS,
          "rediss-cluster", REDIS);

  /** The order of a class path means nothing: those that need no server come first. */
  private static final Comparator<StoreProvider> FOR_PEOPLE =
      Comparator.comparing((StoreProvider provider) -> !provider.isEmbedded())
          .thenComparing(provider -> provider.forms().get(0));

  private static final ClassLoader OWN = StoreProviders.class.getClassLoader();
  private static final StoreProvider MEMORY = new MemoryStoreProvider();
  private static final List<StoreProvider> FOUND =
      ServiceLoader.load(StoreProvider.class, OWN).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private StoreProviders() {}

  /** All, in an order for people. */
  static List<StoreProvider> all() {
    List<StoreProvider> all = new ArrayList<>(FOUND);
    all.add(MEMORY);
    // In a container, an application's libraries may not be visible from here.
    ClassLoader callers = Thread.currentThread().getContextClassLoader();
    if (callers != null && callers != OWN) {
      ServiceLoader.load(StoreProvider.class, callers).stream()
          .filter(found -> all.stream().noneMatch(known -> known.getClass() == found.type()))
          .map(ServiceLoader.Provider::get)
          .forEach(all::add);
    }
    all.sort(FOR_PEOPLE);
    return all;
  }

  static Optional<StoreProvider> of(String scheme) {
    return all().stream().filter(provider -> provider.schemes().contains(scheme)).findFirst();
  }

  /** The dependency that has stores of this scheme; null if none of ours has. */
  static @Nullable String dependencyFor(String scheme) {
    return DEPENDENCIES.get(scheme);
  }

  /**
   * What makes one store of two.
   *
   * @throws StoreSetupException if it is not there
   */
  static StoreTiers tiers() {
    return ServiceLoader.load(StoreTiers.class, OWN)
        .findFirst()
        .or(() -> ServiceLoader.load(StoreTiers.class).findFirst())
        .orElseThrow(() -> StoreSetupException.missing("a cache or a fallback", TIERED, null));
  }
}
