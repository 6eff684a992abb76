package dev.once.stores.tiered;

import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.tck.StoreFixture;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** SQLite, with a cache in this process in front of it. */
final class SqliteFixture implements StoreFixture {

  private final Path file;
  private final BiFunction<Store, Cache, Store> form;
  private final CacheServer cache = new CacheServer(InstantSource.system());
  private final List<Store> handles = new ArrayList<>();

  SqliteFixture(Path file, BiFunction<Store, Cache, Store> form) {
    this.file = file;
    this.form = form;
    another();
  }

  @Override
  public Store store() {
    return handles.get(0);
  }

  @Override
  public Store another() {
    Store store = form.apply(JdbcStore.sqlite(file), cache.client());
    handles.add(store);
    return store;
  }

  @Override
  public Store reopened() {
    close();
    return another();
  }

  @Override
  public void timePasses(Duration duration) {
    cache.timePasses(duration);
    String sql =
        """
        UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
            lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
        """
            .formatted(duration.toMillis());
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=4000");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() {
    handles.forEach(Store::close);
    handles.clear();
  }
}
