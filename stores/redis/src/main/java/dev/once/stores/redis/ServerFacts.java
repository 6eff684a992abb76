package dev.once.stores.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * What a server says about itself, as far as it lets us ask: INFO, and CONFIG where it is allowed.
 * Managed servers often forbid CONFIG.
 */
final class ServerFacts {

  static final String UNKNOWN = "";

  private static final int FLAGS_AND_SHARDED_CHANNELS = 7;

  private final Map<String, String> known;

  private ServerFacts(Map<String, String> known) {
    this.known = known;
  }

  static ServerFacts of(RedisAsyncCommands<byte[], byte[]> server, Duration timeout) {
    Map<String, String> known = new HashMap<>();
    for (String section : new String[] {"server", "memory", "persistence", "replication"}) {
      String info = ifAllowed(server.info(section), timeout, "");
      info.lines()
          .filter(line -> line.contains(":"))
          .forEach(line -> known.put(line.split(":", 2)[0], line.split(":", 2)[1].strip()));
    }
    for (String name : new String[] {"maxmemory-policy", "appendfsync", "save"}) {
      known.putAll(ifAllowed(server.configGet(name), timeout, Map.of()));
    }
    return new ServerFacts(known);
  }

  /** The reply; or the other value, if this user may not ask. */
  static <T> T ifAllowed(RedisFuture<T> reply, Duration timeout, T otherwise) {
    try {
      return reply
          .toCompletableFuture()
          .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      if (Failures.cause(e) instanceof RedisCommandExecutionException) {
        return otherwise;
      }
      throw e;
    }
  }

  private String get(String name) {
    return known.getOrDefault(name, UNKNOWN);
  }

  private long number(String name) {
    String text = get(name);
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
  }

  String product() {
    return get("valkey_version").isEmpty() ? "Redis" : "Valkey";
  }

  String version() {
    return get("valkey_version").isEmpty() ? get("redis_version") : get("valkey_version");
  }

  /** The version of the commands: Valkey says which Redis it is like. */
  int[] commandVersion() {
    String[] words = (get("redis_version") + ".0.0").replaceAll("[^0-9.]", "").split("\\.", -1);
    return version().isEmpty()
        ? new int[] {0, 0}
        : new int[] {Integer.parseInt(words[0]), Integer.parseInt(words[1])};
  }

  boolean atLeast7() {
    return commandVersion()[0] >= FLAGS_AND_SHARDED_CHANNELS;
  }

  boolean isReplica() {
    return get("role").equals("slave");
  }

  /** {@link #UNKNOWN} if it does not say. */
  String policy() {
    String configured = get("maxmemory-policy");
    return configured.isEmpty() ? get("maxmemory_policy") : configured;
  }

  long maxMemory() {
    return number("maxmemory");
  }

  long usedMemory() {
    return number("used_memory");
  }

  boolean isAppendOnly() {
    return get("aof_enabled").equals("1");
  }

  /** When its file is flushed to disk; {@link #UNKNOWN} if it does not say. */
  String flush() {
    return get("appendfsync");
  }

  /** Whether it does so now and then; taken for granted if it does not say. */
  boolean makesSnapshots() {
    return !known.getOrDefault("save", "3600 1").isEmpty();
  }

  long replicas() {
    return number("connected_slaves");
  }

  boolean isSilent() {
    return version().isEmpty();
  }
}
