package dev.once.faults;

import dev.once.testing.servers.RedisSentinels;
import dev.once.testing.servers.RedisServer;
import java.util.List;

/** A master, a replica, and sentinels that promote it. */
final class SentinelTopology implements Topology {

  private final RedisSentinels sentinels;
  private int stores;

  SentinelTopology() throws Exception {
    this(RedisSentinels.start(1, Topology.config()));
  }

  SentinelTopology(RedisSentinels sentinels) {
    this.sentinels = sentinels;
  }

  @Override
  public String newStore(int replicas) {
    String options = "?replicas-timeout=500ms&replicas=" + replicas + "&prefix=s" + stores++ + ":";
    return sentinels.url().replace("#", options + "#");
  }

  @Override
  public List<Integer> ports() {
    return sentinels.ports();
  }

  @Override
  public RedisServer master() throws Exception {
    return sentinels.master();
  }

  @Override
  public RedisServer replica() throws Exception {
    return sentinels.replicas().get(0);
  }

  @Override
  public void awaitSuccessor(RedisServer lost) throws Exception {
    sentinels.awaitOtherMaster(lost);
  }

  @Override
  public void follow(RedisServer lost) throws Exception {
    sentinels.follow(lost);
  }

  @Override
  public void close() throws Exception {
    sentinels.close();
  }
}
