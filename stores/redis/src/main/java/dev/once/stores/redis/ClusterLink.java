package dev.once.stores.redis;

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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A cluster. Each record is one key and so in one slot; Lettuce knows which node has it, follows it
 * when it moves, and looks for a new master when one is lost.
 */
final class ClusterLink implements Link {

  private static final Duration LOOK_AT_MOST_EVERY = Duration.ofMillis(500);
  private static final Duration LOOK_AT_LEAST_EVERY = Duration.ofSeconds(30);

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
      Closing.now(client);
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
    RedisClusterNode owner = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
    return connection.getConnectionAsync(owner.getNodeId());
  }

  @Override
  public RedisClusterAsyncCommands<byte[], byte[]> commands() {
    return connection.async();
  }

  @Override
  public List<RedisAsyncCommands<byte[], byte[]>> masters() {
    return connection.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
        .map(node -> connection.getConnection(node.getNodeId()).async())
        .toList();
  }

  @Override
  public void listen(Consumer<byte[]> listener) {
    signals.addListener(
        new RedisPubSubAdapter<byte[], byte[]>() {
          @Override
          public void message(byte[] channel, byte[] message) {
            listener.accept(channel);
          }

          @Override
          public void smessage(byte[] channel, byte[] message) {
            listener.accept(channel);
          }
        });
  }

  @Override
  public void subscribe(byte[] channel) {
    signals.async().ssubscribe(channel);
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
    Closing.now(client);
  }
}
