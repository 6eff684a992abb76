package dev.once.stores.redis;

import java.util.List;

/**
 * The {@code maxmemory-policy} values under which a full Redis drops keys. All of ours expire some
 * day, so the {@code volatile} ones drop them too.
 */
final class Eviction {

  static final List<String> NAMES =
      List.of(
          "allkeys-lru",
          "allkeys-lfu",
          "allkeys-random",
          "allkeys-lrm",
          "volatile-lru",
          "volatile-lfu",
          "volatile-random",
          "volatile-lrm",
          "volatile-ttl");

  private Eviction() {}

  /** A policy that nobody has heard of yet counts as one that evicts. */
  static boolean isEvicting(String policy) {
    return !policy.equals("noeviction");
  }
}
