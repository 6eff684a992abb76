package dev.once.testing.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
    RedisSentinels group = new RedisSentinels(RedisReplicas.start(replicas, config));
    try {
      String master = NAME + " 127.0.0.1 " + group.servers.master().port() + " 2";
      for (int i = 0; i < SENTINELS; i++) {
        group.sentinels.add(
            RedisServer.start(
                List.of("--sentinel"),
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

  @Override
  public void close() throws IOException {
    for (RedisServer sentinel : sentinels) {
      sentinel.close();
    }
    servers.close();
  }
}
