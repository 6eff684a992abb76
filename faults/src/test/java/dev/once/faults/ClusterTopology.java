package dev.once.faults;

import dev.once.testing.servers.RedisCluster;
import dev.once.testing.servers.RedisServer;
import java.util.List;

/** A cluster of three masters, each with a replica; all keys of a store are in one slot. */
final class ClusterTopology implements Topology {

  private final RedisCluster cluster = RedisCluster.start(1, Topology.config());
  private int stores;

  ClusterTopology() throws Exception {}

  private String tag() {
    return "{s" + stores + "}";
  }

  @Override
  public String newStore(int replicas) {
    stores++;
    return cluster.url() + "?replicas-timeout=500ms&replicas=" + replicas + "&prefix=" + tag();
  }

  @Override
  public List<Integer> ports() {
    return cluster.ports();
  }

  @Override
  public RedisServer master() throws Exception {
    return cluster.ownerOf(tag());
  }

  @Override
  public RedisServer replica() throws Exception {
    return cluster.replicaOf(master());
  }

  @Override
  public void awaitSuccessor(RedisServer lost) throws Exception {
    cluster.awaitOtherOwner(tag(), lost);
  }

  /** A node that comes back hears from the others that it has a successor. */
  @Override
  public void follow(RedisServer lost) throws Exception {
    cluster.awaitReplica(lost);
  }

  /** Moves the slot to another master, as long as it takes. */
  void moveSlot() throws Exception {
    RedisServer from = master();
    RedisServer to =
        cluster.masters().stream().filter(node -> node != from).findFirst().orElseThrow();
    cluster.beginMove(tag(), from, to);
    cluster.moveKeys(tag(), from, to);
    cluster.endMove(tag(), to);
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
