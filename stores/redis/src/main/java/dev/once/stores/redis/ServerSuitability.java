package dev.once.stores.redis;

import dev.once.core.store.Finding;
import java.util.ArrayList;
import java.util.List;

/** What the facts about the masters mean for the keys that they are to hold. */
final class ServerSuitability {

  private static final double NEARLY_FULL = 0.9;
  private static final int MEGABYTE = 1024 * 1024;

  private final List<ServerFacts> masters;
  private final RedisSettings settings;

  ServerSuitability(List<ServerFacts> masters, RedisSettings settings) {
    this.masters = List.copyOf(masters);
    this.settings = settings;
  }

  boolean atLeast7() {
    return masters.stream().allMatch(ServerFacts::atLeast7);
  }

  /** Records survive the end of every process: they are in a file before their stage completes. */
  boolean isDurable() {
    return masters.stream().allMatch(ServerFacts::isAppendOnly);
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    for (ServerFacts master : masters) {
      findings.add(version(master));
      findings.add(role(master));
      findings.add(eviction(master));
      findings.add(memory(master));
      findings.add(persistence(master));
      findings.add(replicas(master));
    }
    return findings.stream().distinct().toList(); // the masters of a cluster are mostly alike
  }

  private static Finding version(ServerFacts master) {
    if (master.isSilent()) {
      return Finding.warning(
          "version", "INFO is not allowed: allow it, so that this check can see how it stands");
    }
    String name = master.product() + " " + master.version();
    int[] version = master.commandVersion();
    if (version[0] < 5) {
      return Finding.unfit("version", name + ": too old (expected: 6.2 or later)");
    }
    return version[0] * 10 + version[1] < 62
        ? Finding.warning("version", name + ": not tested (expected: 6.2 or later)")
        : Finding.good("version", name);
  }

  private static Finding role(ServerFacts master) {
    return master.isReplica()
        ? Finding.unfit(
            "role", "replica: it takes no writes; give the URL of its master, or use Sentinel")
        : Finding.good("role", "master");
  }

  private Finding eviction(ServerFacts master) {
    String policy = master.policy();
    if (policy.isEmpty()) {
      return Finding.warning(
          "eviction",
          "maxmemory-policy is not to be seen: make sure that it is noeviction, or keys get lost");
    }
    if (!Eviction.isEvicting(policy)) {
      return Finding.good("eviction", policy + ": when full it refuses new keys");
    }
    String meaning =
        policy + ": when full it drops keys that are still needed, and a retry runs again; ";
    return policy.equals(settings.allowEviction())
        ? Finding.warning("eviction", meaning + "allowed by allow-eviction=" + policy)
        : Finding.unfit(
            "eviction",
            meaning
                + "set maxmemory-policy to noeviction, or accept it by allow-eviction="
                + policy);
  }

  private static Finding memory(ServerFacts master) {
    long used = master.usedMemory() / MEGABYTE;
    if (master.maxMemory() == 0) {
      return Finding.warning(
          "memory",
          used + " MB used, maxmemory is not set: the system may kill it when memory is short");
    }
    String detail = "%d of %d MB used".formatted(used, master.maxMemory() / MEGABYTE);
    return master.usedMemory() > NEARLY_FULL * master.maxMemory()
        ? Finding.warning("memory", detail + ": new keys will soon be refused; raise maxmemory")
        : Finding.good("memory", detail);
  }

  private static Finding persistence(ServerFacts master) {
    if (master.isSilent()) {
      return Finding.warning("persistence", "not to be seen");
    }
    if (!master.isAppendOnly()) {
      return Finding.warning(
          "persistence",
          (master.makesSnapshots()
                  ? "snapshots only: a restart forgets the keys since the last one"
                  : "none: a restart forgets every key")
              + ", and their retries run again; set appendonly to yes");
    }
    return switch (master.flush()) {
      case "always" ->
          Finding.good("persistence", "appendonly, appendfsync always: no answer is lost");
      case "everysec" ->
          Finding.good(
              "persistence",
              "appendonly, appendfsync everysec: a crash of the process loses nothing, one of the"
                  + " machine up to two seconds");
      default ->
          Finding.warning(
              "persistence",
              "appendonly, appendfsync "
                  + (master.flush().isEmpty() ? "not to be seen" : master.flush())
                  + ": a crash of the machine may lose more than a second; set everysec or always");
    };
  }

  private Finding replicas(ServerFacts master) {
    String detail = master.replicas() + " connected";
    if (master.replicas() < settings.replicas()) {
      return Finding.unfit(
          "replicas",
          detail + " (expected: " + settings.replicas() + ", as replicas= says): no write counts");
    }
    return Finding.good(
        "replicas",
        detail
            + (master.replicas() == 0 || settings.replicas() > 0
                ? ""
                : ": a failover may lose the last writes; replicas=1 narrows that"));
  }
}
