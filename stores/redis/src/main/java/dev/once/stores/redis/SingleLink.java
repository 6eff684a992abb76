package dev.once.stores.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * One server, or the one that the sentinels name: they are asked at each connect. One connection
 * carries all steps, in the order in which they were asked for; another one is for wake-ups.
 */
final class SingleLink implements Link {

  private static final Duration RECONNECT_AT_MOST_EVERY = Duration.ofSeconds(1);

  private final AtomicLong lastReconnect =
      new AtomicLong(System.nanoTime() - RECONNECT_AT_MOST_EVERY.toNanos());
  private final RedisClient client;
  private final Channels channels;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final CompletableFuture<StatefulRedisConnection<byte[], byte[]>> ready;
  private final StatefulRedisPubSubConnection<byte[], byte[]> signals;

  SingleLink(RedisSettings settings, ClientResources resources, Channels channels) {
    this.channels = channels;
    RedisURI uri = Client.uri(settings);
    client = RedisClient.create(resources);
    client.setOptions(Client.options(settings, ClientOptions.builder()).build());
    try {
      connection = client.connect(ByteArrayCodec.INSTANCE, uri);
      signals = client.connectPubSub(ByteArrayCodec.INSTANCE, uri);
    } catch (RuntimeException e) {
      ClientShutdown.now(client);
      throw e;
    }
    ready = CompletableFuture.completedFuture(connection);
  }

  @Override
  public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connection(byte[] key) {
    return ready;
  }

  @Override
  public RedisClusterAsyncCommands<byte[], byte[]> commands() {
    return connection.async();
  }

  @Override
  public List<RedisAsyncCommands<byte[], byte[]>> masters() {
    return List.of(connection.async());
  }

  @Override
  public List<byte[]> keyOnEachMaster(String prefix) {
    return List.of((prefix + UUID.randomUUID()).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void listen(Consumer<byte[]> heard, Consumer<byte[]> subscribed) {
    signals.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(byte[] channel, byte[] message) {
            heard.accept(channel);
          }

          @Override
          public void subscribed(byte[] channel, long count) {
            subscribed.accept(channel);
          }
        });
  }

  @Override
  public CompletionStage<Void> subscribe(byte[] channel) {
    return signals.async().subscribe(channel);
  }

  @Override
  public void unsubscribe(byte[] channel) {
    signals.async().unsubscribe(channel);
  }

  /** At most once in a while: many steps find the same thing out at the same time. */
  @Override
  public void reconnect() {
    long now = System.nanoTime();
    long last = lastReconnect.get();
    if (now - last > RECONNECT_AT_MOST_EVERY.toNanos() && lastReconnect.compareAndSet(last, now)) {
      channels.reconnect();
    }
  }

  @Override
  public void close() {
    ClientShutdown.now(client);
  }
}
