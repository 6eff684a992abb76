package dev.once.stores.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a Redis, and what to ask of it.
 *
 * @param nodes the server; the sentinels; or some nodes of the cluster, which name the others
 * @param sentinelMaster the name under which sentinels know the master; empty unless sentinels
 * @param username empty for the default user
 * @param password empty for none
 * @param caFile PEM file of the authorities to trust; null for those that Java trusts
 * @param timeout how long a reply is waited for; after that the outcome of the step is unknown
 * @param prefix what the names of all keys and channels begin with
 * @param replicas how many replicas must have a write before it counts; 0 for none
 * @param replicasTimeout how long to wait for them
 * @param allowEviction the evicting {@code maxmemory-policy} that is accepted; empty for none
 * @param compressFrom how many bytes an answer has from which on it is compressed: that makes 2 KB
 *     less than half as long, and costs more processor time than all else that a step does
 * @param maxQueued how many steps may wait to be sent, and for replies; more are refused
 */
public record RedisSettings(
    Topology topology,
    List<Node> nodes,
    String sentinelMaster,
    String sentinelUsername,
    String sentinelPassword,
    String username,
    String password,
    int database,
    boolean tls,
    Verify verify,
    @Nullable Path caFile,
    Duration timeout,
    Duration connectTimeout,
    String prefix,
    int replicas,
    Duration replicasTimeout,
    String allowEviction,
    int compressFrom,
    int maxQueued) {

  /** What is at the nodes. */
  public enum Topology {
    STANDALONE,
    SENTINEL,
    CLUSTER
  }

  /** How much of a server's certificate is checked. */
  public enum Verify {
    /** The authority and the host name. */
    FULL,
    /** The authority only. */
    CA,
    /** Nothing: whoever answers is believed. */
    NONE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A host and a port. */
  public record Node(String host, int port) {
    @Override
    public String toString() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  public RedisSettings {
    nodes = List.copyOf(nodes);
    require(!nodes.isEmpty(), "host", "none", "HOST:PORT");
    require(
        topology != Topology.STANDALONE || nodes.size() == 1,
        "hosts",
        nodes,
        "one; several go with redis-sentinel:// or redis-cluster://");
    require(
        (topology == Topology.SENTINEL) != sentinelMaster.isEmpty(),
        "master",
        sentinelMaster.isEmpty() ? "none" : sentinelMaster,
        topology == Topology.SENTINEL ? "its name after #" : "none without sentinels");
    require(database >= 0, "database", database, "0 or more");
    require(topology != Topology.CLUSTER || database == 0, "database", database, "0 in a cluster");
    require(password.isEmpty() ? username.isEmpty() : true, "password", "none", "one for the user");
    positive("timeout", timeout);
    positive("connect-timeout", connectTimeout);
    positive("replicas-timeout", replicasTimeout);
    require(
        replicas == 0 || replicasTimeout.compareTo(timeout) < 0,
        "replicas-timeout",
        replicasTimeout,
        "less than timeout, " + timeout);
    require(!prefix.isEmpty(), "prefix", "empty", "some text, so that other keys are left alone");
    require(replicas >= 0, "replicas", replicas, "0 or more");
    require(compressFrom >= 0, "compress-from", compressFrom, "0 or more");
    require(maxQueued >= 1, "max-queued", maxQueued, "1 or more");
    require(
        allowEviction.isEmpty() || Eviction.isEvicting(allowEviction),
        "allow-eviction",
        allowEviction,
        "the name of an evicting maxmemory-policy: " + Eviction.NAMES);
  }

  /**
   * Reads {@code redis://[user:password@]host[:port][/database][?option=value&…]}, and {@code
   * rediss}, {@code redis-sentinel} ({@code host:port,host:port#master}), {@code redis-cluster} and
   * their TLS forms.
   *
   * @throws dev.once.core.store.StoreUrlException if it is none of these, with the reason and
   *     without the password
   */
  public static RedisSettings parse(String url) {
    return RedisUrl.parse(url);
  }

  /** The settings of a plain server on this host and port; change them by {@link #with}. */
  public static RedisSettings of(String host, int port) {
    return of(Topology.STANDALONE, List.of(new Node(host, port)), "");
  }

  static RedisSettings of(Topology topology, List<Node> nodes, String master) {
    return new RedisSettings(
        topology,
        nodes,
        master,
        "",
        "",
        "",
        "",
        0,
        false,
        Verify.FULL,
        null,
        Duration.ofSeconds(2),
        Duration.ofSeconds(5),
        "once:",
        0,
        Duration.ofSeconds(1),
        "",
        4096,
        10_000);
  }

  /** A copy in which some values differ. */
  public RedisSettings with(UnaryOperator<RedisSettingsBuilder> changes) {
    return changes.apply(new RedisSettingsBuilder(this)).build();
  }

  private static void positive(String name, Duration value) {
    boolean fits = value.compareTo(SHORTEST) >= 0 && value.compareTo(LONGEST) <= 0;
    require(fits, name, value, SHORTEST + " to " + LONGEST);
  }

  private static void require(boolean holds, String name, Object value, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(
          "redis: " + name + ": " + value + " (expected: " + expected + ")");
    }
  }

  /** Where it leads, without the password. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(tls ? "rediss" : "redis");
    text.append(
        topology == Topology.STANDALONE ? "" : "-" + topology.name().toLowerCase(Locale.ROOT));
    text.append("://").append(username).append(password.isEmpty() ? "" : ":***@");
    text.append(String.join(",", nodes.stream().map(Node::toString).toList()));
    text.append(database == 0 ? "" : "/" + database);
    return text.append(sentinelMaster.isEmpty() ? "" : "#" + sentinelMaster).toString();
  }
}
