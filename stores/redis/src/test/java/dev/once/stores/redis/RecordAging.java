package dev.once.stores.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Makes records older: the same as a clock of the server that moved on. */
final class RecordAging {

  private static final String SHIFT =
      """
      local state = redis.call('HGET', KEYS[1], 'state')
      if not state then
        return
      end
      local function earlier(ms)
        return string.format('%013.0f', ms - ARGV[1])
      end
      redis.call('HSET', KEYS[1], 'state', string.sub(state, 1, 17) .. earlier(string.sub(state, 18, 30))
          .. earlier(string.sub(state, 31, 43)) .. string.sub(state, 44))
      redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) - ARGV[1])
      """;

  /** One client for all fixtures on the same servers; they end with the tests. */
  private static final Map<String, RedisClusterCommands<String, String>> CLIENTS =
      new ConcurrentHashMap<>();

  private final RedisClusterCommands<String, String> commands;
  private final String prefix;

  RecordAging(RedisSettings settings) {
    prefix = settings.prefix();
    commands = CLIENTS.computeIfAbsent(settings.toString(), any -> connect(settings));
  }

  private static RedisClusterCommands<String, String> connect(RedisSettings settings) {
    return settings.topology() == RedisSettings.Topology.CLUSTER
        ? RedisClusterClient.create(Client.uris(settings)).connect().sync()
        : RedisClient.create(Client.uri(settings)).connect().sync();
  }

  void advance(Duration duration) {
    for (String key : keys()) {
      commands.eval(
          SHIFT, ScriptOutputType.STATUS, new String[] {key}, Long.toString(duration.toMillis()));
    }
  }

  private List<String> keys() {
    List<String> keys = new ArrayList<>();
    ScanIterator<String> scan =
        ScanIterator.scan(commands, ScanArgs.Builder.matches(prefix + "*").limit(1_000));
    scan.forEachRemaining(keys::add);
    return keys;
  }
}
