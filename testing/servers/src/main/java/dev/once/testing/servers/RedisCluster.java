package dev.once.testing.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Three masters that share the slots, each with as many replicas as asked for. */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /** Starts it, and waits until every node sees all slots served. */
  public static RedisCluster start(int replicasEach, String... config) throws IOException {
    RedisCluster cluster = new RedisCluster();
    try {
      cluster.form(replicasEach, config);
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void form(int replicasEach, String... config) throws IOException {
    for (int i = 0; i < MASTERS * (1 + replicasEach); i++) {
      List<String> all = new ArrayList<>(List.of(config));
      all.addAll(
          List.of(
              "cluster-enabled yes",
              "cluster-port " + Ports.free(),
              "cluster-node-timeout 2000",
              "cluster-replica-validity-factor 0"));
      nodes.add(RedisServer.start(all.toArray(String[]::new)));
    }
    for (int i = 0; i < MASTERS; i++) {
      int from = i * SLOTS / MASTERS;
      int to = (i + 1) * SLOTS / MASTERS - 1;
      require(nodes.get(i).command("CLUSTER", "ADDSLOTSRANGE", "" + from, "" + to));
      require(nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1)));
    }
    for (RedisServer node : nodes.subList(1, nodes.size())) {
      require(
          node.command(
              "CLUSTER",
              "MEET",
              "127.0.0.1",
              "" + nodes.get(0).port(),
              nodes
                  .get(0)
                  .command("CONFIG", "GET", "cluster-port")
                  .lines()
                  .skip(1)
                  .findFirst()
                  .orElse("")));
    }
    for (RedisServer node : nodes) {
      RedisReplicas.await("cluster nodes to meet", () -> known(node) == nodes.size());
    }
    for (int i = MASTERS; i < nodes.size(); i++) {
      String master = nodes.get(i % MASTERS).command("CLUSTER", "MYID");
      RedisServer replica = nodes.get(i);
      RedisReplicas.await(
          "a node to become a replica",
          () -> replica.command("CLUSTER", "REPLICATE", master).equals("OK"));
      RedisReplicas.awaitLink(replica);
    }
    for (RedisServer node : nodes) {
      RedisReplicas.await("the cluster to be whole", () -> isWhole(node));
    }
  }

  private static long known(RedisServer node) throws IOException {
    return node.command("CLUSTER", "NODES")
        .lines()
        .filter(line -> line.contains("connected"))
        .count();
  }

  private boolean isWhole(RedisServer node) throws IOException {
    long replicas =
        node.command("CLUSTER", "NODES").lines().filter(line -> line.contains("slave")).count();
    return node.command("CLUSTER", "INFO").contains("cluster_state:ok")
        && replicas == nodes.size() - MASTERS;
  }

  private static void require(String reply) throws IOException {
    if (!reply.equals("OK")) {
      throw new IOException("cluster: " + reply);
    }
  }

  public String url() {
    List<String> hosts =
        nodes.stream().limit(MASTERS).map(node -> "127.0.0.1:" + node.port()).toList();
    return "redis-cluster://" + String.join(",", hosts);
  }

  /** One of the first masters. */
  public RedisServer node(int index) {
    return nodes.get(index);
  }

  /** The node that has this key at this moment, as most nodes see it. */
  public RedisServer ownerOf(String key) throws IOException {
    RedisServer any =
        nodes.stream().min(Comparator.comparing(node -> isDown(node) ? 1 : 0)).orElseThrow();
    int slot = Integer.parseInt(any.command("CLUSTER", "KEYSLOT", key));
    for (String line : any.command("CLUSTER", "NODES").lines().toList()) {
      String[] words = line.split(" ", -1);
      if (words[2].contains("master") && !words[2].contains("fail") && has(words, slot)) {
        int port = Integer.parseInt(words[1].replaceAll(".*:(\\d+)@.*", "$1"));
        return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
      }
    }
    throw new IOException("no node has slot " + slot);
  }

  /** Begins to move this key's slot: what is not there yet is now asked for at the other node. */
  public void beginMove(String key, RedisServer from, RedisServer to) throws IOException {
    String slot = from.command("CLUSTER", "KEYSLOT", key);
    String source = from.command("CLUSTER", "MYID");
    String target = to.command("CLUSTER", "MYID");
    require(to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source));
    require(from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target));
  }

  /** Moves the slot's keys, until there are none left. */
  public void moveKeys(String key, RedisServer from, RedisServer to) throws IOException {
    String slot = from.command("CLUSTER", "KEYSLOT", key);
    List<String> names = keysIn(slot, from);
    while (!names.isEmpty()) {
      for (String name : names) {
        String reply = from.command("MIGRATE", "127.0.0.1", "" + to.port(), name, "0", "5000");
        if (!reply.equals("NOKEY")) { // somebody has deleted it
          require(reply);
        }
      }
      names = keysIn(slot, from);
    }
  }

  private static List<String> keysIn(String slot, RedisServer node) throws IOException {
    return node.command("CLUSTER", "GETKEYSINSLOT", slot, "1000").lines().toList();
  }

  /** Ends the move: all masters are told which node has the slot. */
  public void endMove(String key, RedisServer to) throws IOException {
    String slot = to.command("CLUSTER", "KEYSLOT", key);
    String target = to.command("CLUSTER", "MYID");
    require(to.command("CLUSTER", "SETSLOT", slot, "NODE", target));
    for (RedisServer node : masters()) {
      require(node.command("CLUSTER", "SETSLOT", slot, "NODE", target));
    }
  }

  /** Those that are masters at this moment, by what each says of itself. */
  public List<RedisServer> masters() throws IOException {
    List<RedisServer> masters = new ArrayList<>();
    for (RedisServer node : nodes) {
      if (!isDown(node) && node.info("replication", "role").equals("master")) {
        masters.add(node);
      }
    }
    return masters;
  }

  /** The replica of a master, by what each node says of itself. */
  public RedisServer replicaOf(RedisServer master) throws IOException {
    String port = Integer.toString(master.port());
    for (RedisServer node : nodes) {
      if (!isDown(node) && node.info("replication", "master_port").equals(port)) {
        return node;
      }
    }
    throw new IOException("node on port " + port + ": has no replica");
  }

  /** Of all nodes. */
  public List<Integer> ports() {
    return nodes.stream().map(RedisServer::port).toList();
  }

  /** Waits until the nodes that run agree that another one has this key's slot. */
  public void awaitOtherOwner(String key, RedisServer than) throws IOException {
    RedisReplicas.await("a replica to take over", () -> ownerOf(key) != than);
  }

  /** Waits until a node that was away is the replica of the one that took its place. */
  public void awaitReplica(RedisServer node) throws IOException {
    RedisReplicas.await(
        "a node to follow the one that took over",
        () -> node.info("replication", "role").equals("slave"));
    RedisReplicas.awaitLink(node);
  }

  private static boolean has(String[] words, int slot) {
    for (int i = 8; i < words.length; i++) {
      if (words[i].startsWith("[")) {
        continue; // a slot that is being moved
      }
      String[] range = words[i].split("-", -1);
      if (Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1])) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDown(RedisServer node) {
    try {
      return !node.command("PING").equals("PONG");
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    for (RedisServer node : nodes) {
      node.close();
    }
  }
}
