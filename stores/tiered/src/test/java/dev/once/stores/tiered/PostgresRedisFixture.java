package dev.once.stores.tiered;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.store.Cache;
import dev.once.core.store.Store;
import dev.once.stores.jdbc.JdbcStore;
import dev.once.stores.redis.RedisCache;
import dev.once.stores.redis.RedisSettings;
import dev.once.tck.StoreFixture;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.RedisServer;
import io.lettuce.core.resource.ClientResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import javax.sql.DataSource;

/** PostgreSQL and Redis, both real; the database is emptied for each test. */
final class PostgresRedisFixture implements StoreFixture {

  private static final String AGE =
      """
      for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
        redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[2])
      end
      """;

  /** The tests share threads and connections, because making them takes longer than a test. */
  private static final ClientResources THREADS = ClientResources.create();

  private static final Map<String, DataSource> POOLS = new ConcurrentHashMap<>();

  private final String database;
  private final RedisServer redis;
  private final String prefix = "test-" + UUID.randomUUID() + ":";
  private final BiFunction<Store, Cache, Store> form;
  private final List<Store> handles = new ArrayList<>();
  private final List<AwaitedPuts> caches = new ArrayList<>();

  /**
   * @param database has its tables
   */
  PostgresRedisFixture(String database, RedisServer redis, BiFunction<Store, Cache, Store> form) {
    this.database = database;
    this.redis = redis;
    this.form = form;
    execute("DELETE FROM idempotency_keys");
    another();
  }

  @Override
  public Store store() {
    return handles.get(0);
  }

  @Override
  public Store another() {
    AwaitedPuts cache =
        new AwaitedPuts(
            RedisCache.open(RedisSettings.parse(redis.url() + "?prefix=" + prefix), THREADS));
    caches.add(cache);
    Store store =
        form.apply(
            JdbcStore.on(POOLS.computeIfAbsent(database, PostgresRedisFixture::pool)), cache);
    handles.add(store);
    return store;
  }

  private static DataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(DatabaseServer.jdbcUrl(url));
    config.setMaximumPoolSize(40); // several stores keep some of them each
    return new HikariDataSource(config);
  }

  @Override
  public Store reopened() {
    close();
    return another();
  }

  @Override
  public void timePasses(Duration duration) {
    caches.forEach(AwaitedPuts::await); // what came later would not get older
    execute(
        """
        UPDATE idempotency_keys SET created_at = created_at - %1$d, ttl_at = ttl_at - %1$d,
            lease_until = lease_until - %1$d, completed_at = completed_at - %1$d
        """
            .formatted(duration.toMillis()));
    try {
      String pattern = "cache:" + prefix + "*";
      String reply = redis.command("EVAL", AGE, "0", pattern, "" + duration.toMillis());
      if (reply.startsWith("-")) {
        throw new IllegalStateException(reply);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void execute(String sql) {
    try (Connection connection =
            POOLS.computeIfAbsent(database, PostgresRedisFixture::pool).getConnection();
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
    caches.clear();
  }
}
