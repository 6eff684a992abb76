package dev.once.stores.redis;

import dev.once.core.store.StepNotTakenException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.resource.ClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cluster. Each record is one key and so in one slot; Lettuce knows which node has it, follows it
 * when it moves, and looks for a new master when one is lost.
 */
final class ClusterLink implements Link {

  private static final Duration LOOK_AT_MOST_EVERY = Duration.ofMillis(500);
  private static final Duration LOOK_AT_LEAST_EVERY = Duration.ofSeconds(30);

  /** Enough to meet every master at random; in vain only if the prefix pins all keys to a slot. */
  private static final int TRIES_EACH = 1_000;

  private final boolean confirmed;
  private final RedisClusterClient client;
  private final StatefulRedisClusterConnection<byte[], byte[]> connection;
  private final CompletableFuture<StatefulRedisClusterConnection<byte[], byte[]>> ready;
  private final StatefulRedisClusterPubSubConnection<byte[], byte[]> signals;

  ClusterLink(RedisSettings settings, ClientResources resources) {
    confirmed = settings.replicas() > 0;
    List<RedisURI> uris = Client.uris(settings);
    client = RedisClusterClient.create(resources, uris);
    client.setOptions(
        Client.options(settings, ClusterClientOptions.builder())
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .adaptiveRefreshTriggersTimeout(LOOK_AT_MOST_EVERY)
                    .refreshTriggersReconnectAttempts(1)
                    .enablePeriodicRefresh(LOOK_AT_LEAST_EVERY)
                    .build())
            .build());
    try {
      connection = client.connect(ByteArrayCodec.INSTANCE);
      signals = client.connectPubSub(ByteArrayCodec.INSTANCE);
    } catch (RuntimeException e) {
      ClientShutdown.now(client);
      throw e;
    }
    ready = CompletableFuture.completedFuture(connection);
  }

  /**
   * The one that finds the node itself; but where replicas have to confirm, the node's own, because
   * they confirm what was written on one connection.
   */
  @Override
  public CompletionStage<? extends StatefulConnection<byte[], byte[]>> connection(byte[] key) {
    if (!confirmed) {
      return ready;
    }
    return connection.getConnectionAsync(ownerOf(key));
  }

  @Override
  public @Nullable CompletionStage<? extends StatefulConnection<byte[], byte[]>> connection(
      Redirection to) {
    return confirmed ? connection.getConnectionAsync(to.host(), to.port()) : null;
  }

  private String ownerOf(byte[] key) {
    int slot = SlotHash.getSlot(key);
    RedisClusterNode owner = connection.getPartitions().getPartitionBySlot(slot);
    if (owner == null) {
      throw new StepNotTakenException("redis: no node is known that has slot " + slot);
    }
    return owner.getNodeId();
  }

  @Override
  public RedisClusterAsyncCommands<byte[], byte[]> commands() {
    return connection.async();
  }

  @Override
  public List<RedisAsyncCommands<byte[], byte[]>> masters() {
    return nodes().stream().map(node -> connection.getConnection(node).async()).toList();
  }

  private List<String> nodes() {
    return connection.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
        .map(RedisClusterNode::getNodeId)
        .toList();
  }

  @Override
  public List<byte[]> keyOnEachMaster(String prefix) {
    Map<String, byte[]> keys = new HashMap<>();
    int masters = nodes().size();
    for (int i = 0; keys.size() < masters && i < masters * TRIES_EACH; i++) {
      byte[] key = (prefix + UUID.randomUUID()).getBytes(StandardCharsets.UTF_8);
      keys.put(ownerOf(key), key);
    }
    return List.copyOf(keys.values());
  }

  @Override
  public void listen(Consumer<byte[]> heard, Consumer<byte[]> subscribed) {
    signals.addListener(
        new RedisPubSubAdapter<byte[], byte[]>() {
          @Override
          public void message(byte[] channel, byte[] message) {
            heard.accept(channel);
          }

          @Override
          public void smessage(byte[] channel, byte[] message) {
            heard.accept(channel);
          }

          @Override
          public void ssubscribed(byte[] channel, long count) {
            subscribed.accept(channel);
          }
        });
  }

  @Override
  public CompletionStage<Void> subscribe(byte[] channel) {
    return signals.async().ssubscribe(channel);
  }

  @Override
  public void unsubscribe(byte[] channel) {
    signals.async().sunsubscribe(channel);
  }

  @Override
  public void reconnect() {
    client.refreshPartitionsAsync();
  }

  @Override
  public void close() {
    ClientShutdown.now(client);
  }
}
