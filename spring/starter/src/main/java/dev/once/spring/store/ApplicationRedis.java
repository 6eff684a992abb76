package dev.once.spring.store;

import dev.once.spring.OnceConfigurationException;
import dev.once.stores.redis.RedisCache;
import dev.once.stores.redis.RedisSettings;
import dev.once.stores.redis.RedisSettings.Verify;
import dev.once.stores.redis.RedisStore;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis that the application's connection factory leads to, with the same users, database and
 * TLS. The store has a connection of its own: its scripts and wake-ups are not Spring Data's.
 *
 * <p>Only loaded where Spring Data Redis is there.
 */
final class ApplicationRedis {

  private ApplicationRedis() {}

  static boolean isThere(ListableBeanFactory beans) {
    return beans.getBeanProvider(LettuceConnectionFactory.class).stream().findAny().isPresent();
  }

  static FoundStore find(ListableBeanFactory beans, String why) {
    LettuceConnectionFactory factory =
        beans.getBeanProvider(LettuceConnectionFactory.class).getIfUnique();
    if (factory == null) {
      throw new OnceConfigurationException(
          "There are several Redis connection factories, and none is primary (expected: one to keep"
              + " keys in)",
          "Mark one as @Primary, or set once.store.url to redis://HOST.");
    }
    RedisSettings settings = settings(factory);
    return new FoundStore(
        settings.toString(),
        why,
        FoundStore.REDIS,
        () -> RedisStore.open(settings),
        () -> RedisCache.open(settings));
  }

  private static RedisSettings settings(LettuceConnectionFactory factory) {
    RedisSettings settings = nodes(factory);
    LettuceClientConfiguration client = factory.getClientConfiguration();
    Duration timeout = client.getCommandTimeout();
    return settings.with(
        s -> {
          s.tls(client.isUseSsl());
          s.verify(Verify.valueOf(client.getVerifyMode().name()));
          // Lettuce's default of a minute is nobody's wish: then ours stays.
          return timeout.equals(RedisURI.DEFAULT_TIMEOUT_DURATION) ? s : s.timeout(timeout);
        });
  }

  private static RedisSettings nodes(LettuceConnectionFactory factory) {
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    if (cluster != null) {
      return RedisSettings.parse("redis-cluster://" + hosts(cluster.getClusterNodes()))
          .with(s -> s.user(text(cluster.getUsername()), text(cluster.getPassword())));
    }
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    if (sentinel != null) {
      String master = Objects.requireNonNull(sentinel.getMaster()).getName();
      return RedisSettings.parse(
              "redis-sentinel://" + hosts(sentinel.getSentinels()) + "#" + master)
          .with(
              s ->
                  s.user(text(sentinel.getUsername()), text(sentinel.getPassword()))
                      .sentinelUser(
                          text(sentinel.getSentinelUsername()),
                          text(sentinel.getSentinelPassword()))
                      .database(sentinel.getDatabase()));
    }
    if (factory.getSocketConfiguration() != null) {
      throw new OnceConfigurationException(
          "The Redis connection factory leads to a socket (expected: a host, sentinels or a cluster)",
          "Set once.store.url to redis://HOST.");
    }
    RedisStandaloneConfiguration one = factory.getStandaloneConfiguration();
    return RedisSettings.of(one.getHostName(), one.getPort())
        .with(
            s ->
                s.user(text(one.getUsername()), text(one.getPassword()))
                    .database(one.getDatabase()));
  }

  private static String hosts(Iterable<RedisNode> nodes) {
    return StreamSupport.stream(nodes.spliterator(), false)
        .map(RedisNode::asString)
        .collect(Collectors.joining(","));
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  private static String text(RedisPassword password) {
    return password.toOptional().map(String::new).orElse("");
  }
}
