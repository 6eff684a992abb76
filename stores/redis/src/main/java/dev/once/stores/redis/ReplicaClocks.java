package dev.once.stores.redis;

import dev.once.core.store.Finding;
import dev.once.stores.redis.RedisSettings.Node;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Compares the clocks of a master's replicas with its own. After a failover, leases that the one
 * has granted are judged by the clock of the other.
 */
final class ReplicaClocks {

  /** Well below any lease that makes sense, and far above what machines with NTP are off. */
  static final Duration TOLERANCE = Duration.ofSeconds(1);

  private static final Pattern REPLICA =
      Pattern.compile("^slave\\d+:ip=([^,]+),port=(\\d+),", Pattern.MULTILINE);

  private final RedisSettings settings;

  ReplicaClocks(RedisSettings settings) {
    this.settings = settings;
  }

  /** A finding for each replica that the master knows. */
  List<Finding> of(RedisAsyncCommands<byte[], byte[]> master, ServerTime its) {
    String info = ServerFacts.ifAllowed(master.info("replication"), settings.timeout(), "");
    return REPLICA.matcher(info).results().map(replica -> finding(node(replica), its)).toList();
  }

  private static Node node(MatchResult replica) {
    return new Node(replica.group(1), Integer.parseInt(replica.group(2)));
  }

  private Finding finding(Node replica, ServerTime master) {
    String name = replica.host() + ":" + replica.port();
    RedisClient client = RedisClient.create();
    try {
      client.setOptions(Client.options(settings, ClientOptions.builder()).build());
      StatefulRedisConnection<byte[], byte[]> connection =
          client.connect(ByteArrayCodec.INSTANCE, Client.uri(settings, replica));
      return finding(name, ServerTime.of(connection.async(), settings.timeout()), master);
    } catch (RuntimeException e) {
      return Finding.warning(
          "replica's clock",
          name
              + ": cannot be asked from here ("
              + Failures.reasons(Failures.cause(e))
              + "); make sure that it is within a second of its master's");
    } finally {
      ClientShutdown.now(client);
    }
  }

  private static Finding finding(String name, ServerTime replica, ServerTime master) {
    Duration ahead = replica.offset().minus(master.offset());
    String detail = "%s: %+.3f s from its master's".formatted(name, ahead.toMillis() / 1e3);
    Duration tolerated = TOLERANCE.plus(replica.inaccuracy()).plus(master.inaccuracy());
    if (ahead.abs().compareTo(tolerated) <= 0) {
      return Finding.good("replica's clock", detail);
    }
    return Finding.warning(
        "replica's clock",
        detail
            + " (expected: within 1 s): as the master it would "
            + (ahead.isNegative() ? "prolong" : "shorten")
            + " running leases by as much"
            + (ahead.isNegative() ? ", and could grant lower fences" : "")
            + "; set both by NTP");
  }
}
