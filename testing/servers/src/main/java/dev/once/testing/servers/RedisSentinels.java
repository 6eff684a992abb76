package dev.once.testing.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A master, its replicas, and three sentinels that watch them and promote one when it is lost. */
public final class RedisSentinels implements AutoCloseable {

  private static final int SENTINELS = 3;
  private static final String NAME = "payments";

  private final RedisReplicas servers;
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinels(RedisReplicas servers) {
    this.servers = servers;
  }

  /** Starts them, and waits until the sentinels know each other and all servers. */
  public static RedisSentinels start(int replicas, String... config) throws IOException {
    return start(Collections.nCopies(1 + replicas, null), config);
  }

  /** The same, with a clock for each server; the first is the master's. */
  public static RedisSentinels start(List<? extends @Nullable ServerClock> clocks, String... config)
      throws IOException {
    int replicas = clocks.size() - 1;
    RedisSentinels group = new RedisSentinels(RedisReplicas.start(clocks, config));
    try {
      String master = NAME + " 127.0.0.1 " + group.servers.master().port() + " 2";
      for (int i = 0; i < SENTINELS; i++) {
        group.sentinels.add(
            RedisServer.start(
                List.of("--sentinel"),
                null,
                "sentinel monitor " + master,
                "sentinel down-after-milliseconds " + NAME + " 1000",
                "sentinel failover-timeout " + NAME + " 5000"));
      }
      for (RedisServer sentinel : group.sentinels) {
        RedisReplicas.await("sentinels to know each other", () -> knowsAll(sentinel, replicas));
      }
      return group;
    } catch (IOException | RuntimeException e) {
      group.close();
      throw e;
    }
  }

  private static boolean knowsAll(RedisServer sentinel, int replicas) throws IOException {
    String state = sentinel.command("SENTINEL", "MASTER", NAME);
    return state.contains("num-other-sentinels\n" + (SENTINELS - 1) + "\n")
        && state.contains("num-slaves\n" + replicas + "\n");
  }

  public String url() {
    List<String> hosts = sentinels.stream().map(s -> "127.0.0.1:" + s.port()).toList();
    return "redis-sentinel://" + String.join(",", hosts) + "#" + NAME;
  }

  /** Of all servers, and of all sentinels. */
  public List<Integer> ports() {
    return Stream.concat(servers.all().stream(), sentinels.stream())
        .map(RedisServer::port)
        .toList();
  }

  /** The replicas of the one that the sentinels name at this moment. */
  public List<RedisServer> replicas() throws IOException {
    RedisServer master = master();
    return servers.all().stream().filter(server -> server != master).toList();
  }

  /** The one that the sentinels name at this moment. */
  public RedisServer master() throws IOException {
    String address = sentinels.get(0).command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    return servers.all().stream()
        .filter(server -> address.contains("\n" + server.port() + "\n"))
        .findFirst()
        .orElseThrow(() -> new IOException("the sentinels name no server of ours: " + address));
  }

  /** Waits until they name another one. */
  public void awaitOtherMaster(RedisServer than) throws IOException {
    RedisReplicas.await("the sentinels to promote a replica", () -> master() != than);
  }

  /**
   * Makes a server that was the master follow the one that is. The sentinels do the same, but wait
   * eight seconds first. Who is still connected with it has to ask again where the master is.
   */
  public void follow(RedisServer old) throws IOException {
    old.command("REPLICAOF", "127.0.0.1", Integer.toString(master().port()));
    old.command("CLIENT", "KILL", "TYPE", "normal");
    RedisReplicas.awaitLink(old);
  }

  @Override
  public void close() throws IOException {
    for (RedisServer sentinel : sentinels) {
      sentinel.close();
    }
    servers.close();
  }
}
