package dev.once.spring.store;

import dev.once.core.store.Store;
import dev.once.spring.OnceProperties.StoreProperties.Pool;
import dev.once.stores.jdbc.JdbcStore;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.util.ClassUtils;

/**
 * Which connections a store in the application's database has. By default some of its own: callers
 * that hold all connections of the application, and wait for the store, would else wait for ever.
 */
final class StorePool {

  private static final Logger log = LoggerFactory.getLogger(StorePool.class);

  static final String ENLARGE =
      "Raise the size of the application's pool (spring.datasource.hikari.maximum-pool-size), or let"
          + " the store have its own: remove once.store.pool, and let the DataSource be a HikariCP,"
          + " or set once.store.url.";

  private StorePool() {}

  static Store open(DataSource dataSource, Pool pool, ListableBeanFactory beans) {
    Optional<JdbcStore> own = pool == Pool.OWN ? JdbcStore.beside(dataSource) : Optional.empty();
    if (own.isPresent()) {
      log.info(
          "The store has a pool of its own, of up to {} connections; to share the application's, set"
              + " once.store.pool=shared.",
          own.get().connections());
      return own.get();
    }
    OptionalInt size = size(dataSource, beans);
    JdbcStore shared =
        size.isPresent() ? JdbcStore.on(dataSource, size.getAsInt()) : JdbcStore.on(dataSource);
    log.info(
        "The store shares the application's pool, and uses up to {} of its {} connections.",
        shared.connections(),
        size.isPresent() ? size.getAsInt() : "(size unknown)");
    return shared;
  }

  /** As the pool's own product tells it to Spring Boot. */
  private static OptionalInt size(DataSource dataSource, ListableBeanFactory beans) {
    if (ClassUtils.isPresent(
        "org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider",
        StorePool.class.getClassLoader())) {
      return Sizes.of(dataSource, beans);
    }
    return OptionalInt.empty();
  }

  /** Apart, because its classes may not be there. */
  private static final class Sizes {
    static OptionalInt of(DataSource dataSource, ListableBeanFactory beans) {
      return beans.getBeanProvider(DataSourcePoolMetadataProvider.class).stream()
          .flatMap(
              known -> Optional.ofNullable(known.getDataSourcePoolMetadata(dataSource)).stream())
          .flatMap(pool -> Optional.ofNullable(pool.getMax()).stream())
          .filter(max -> max > 0)
          .mapToInt(Integer::intValue)
          .findFirst();
    }
  }
}
