package dev.once.stores.redis;

import dev.once.stores.redis.RedisSettings.Node;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Our settings, as Lettuce wants them. */
final class Client {

  private static final int IO_THREADS = 2;
  private static final Duration LONGEST_RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final int RECONNECT_BASE_MILLIS = 10;

  /** Lettuce 6, which applications on Spring Boot 3 have, knows nothing of it. */
  private static final boolean HAS_MAINTENANCE = hasMaintenance();

  private Client() {}

  private static boolean hasMaintenance() {
    try {
      Class.forName(
          "io.lettuce.core.MaintNotificationsConfig", false, Client.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Only loaded where Lettuce has it. */
  private static final class Maintenance {
    static void switchOff(ClientOptions.Builder options) {
      options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }
  }

  /** The threads and sockets: those of the user, or new ones. */
  static ClientResources resources(@Nullable ClientResources users, Channels channels) {
    ClientResources.Builder builder =
        users != null
            ? users.mutate()
            : ClientResources.builder()
                .ioThreadPoolSize(IO_THREADS)
                .computationThreadPoolSize(IO_THREADS)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled());
    return builder
        .nettyCustomizer(channels)
        .reconnectDelay(
            Delay.fullJitter(
                Duration.ofMillis(1),
                LONGEST_RECONNECT_PAUSE,
                RECONNECT_BASE_MILLIS,
                TimeUnit.MILLISECONDS))
        .build();
  }

  /**
   * A lost connection rejects what is asked meanwhile, and fails what was under way: nothing is
   * kept to be sent later. Whether to try again is the engine's to say, which knows who still
   * waits.
   */
  static <B extends ClientOptions.Builder> B options(RedisSettings settings, B options) {
    options
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(Client::fails)
        .requestQueueSize(settings.maxQueued())
        .useHashIndexQueue(false)
        .timeoutOptions(TimeoutOptions.enabled(settings.timeout()))
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                .keepAlive(
                    KeepAliveOptions.builder()
                        .enable()
                        .idle(Duration.ofSeconds(30))
                        .interval(Duration.ofSeconds(10))
                        .count(3)
                        .build())
                .build());
    if (HAS_MAINTENANCE) {
      Maintenance.switchOff(options);
    }
    if (settings.caFile() != null) {
      options.sslOptions(
          SslOptions.builder().jdkSslProvider().trustManager(settings.caFile().toFile()).build());
    }
    return options;
  }

  /**
   * Lettuce 6 asks this of what could not be written because the connection was just being lost.
   * What it is told to leave out it forgets; else it sends it again. Lettuce 7 fails it by itself.
   */
  private static boolean fails(@Nullable RedisCommand<?, ?, ?> unwritten) {
    if (unwritten != null) {
      unwritten.completeExceptionally(new RedisException("Connection disconnected"));
    }
    return true;
  }

  static RedisURI uri(RedisSettings settings) {
    RedisURI uri = new RedisURI();
    Node first = settings.nodes().get(0);
    if (settings.topology() == RedisSettings.Topology.SENTINEL) {
      uri.setSentinelMasterId(settings.sentinelMaster());
      settings.nodes().forEach(node -> uri.getSentinels().add(sentinel(settings, node)));
    } else {
      uri.setHost(first.host());
      uri.setPort(first.port());
    }
    uri.setDatabase(settings.database());
    secure(settings, uri, settings.username(), settings.password());
    return uri;
  }

  /** One URI for each node of a cluster that is named. */
  static List<RedisURI> uris(RedisSettings settings) {
    return settings.nodes().stream().map(node -> uri(settings, node)).toList();
  }

  /** This node, whatever its role. */
  static RedisURI uri(RedisSettings settings, Node node) {
    RedisURI uri = RedisURI.create(node.host(), node.port());
    secure(settings, uri, settings.username(), settings.password());
    return uri;
  }

  private static RedisURI sentinel(RedisSettings settings, Node node) {
    RedisURI uri = RedisURI.create(node.host(), node.port());
    secure(settings, uri, settings.sentinelUsername(), settings.sentinelPassword());
    return uri;
  }

  private static void secure(RedisSettings settings, RedisURI uri, String user, String password) {
    uri.setTimeout(settings.timeout());
    uri.setSsl(settings.tls());
    uri.setVerifyPeer(
        switch (settings.verify()) {
          case FULL -> SslVerifyMode.FULL;
          case CA -> SslVerifyMode.CA;
          case NONE -> SslVerifyMode.NONE;
        });
    if (!password.isEmpty()) {
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(user.isEmpty() ? null : user, password.toCharArray()));
    }
  }
}
