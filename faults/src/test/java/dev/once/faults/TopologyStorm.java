package dev.once.faults;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Faults of a replicated Redis, one after another and in an order that a seed decides. Each time a
 * replica takes over, the old master comes back before the next fault: no more servers are lost at
 * once than have confirmed.
 */
final class TopologyStorm {

  private interface Fault {
    void inject() throws Exception;
  }

  private final Topology topology;
  private final Proxies proxies;
  private final Run run;
  private final Random random;

  TopologyStorm(Topology topology, Proxies proxies, Run run, long seed) {
    this.topology = topology;
    this.proxies = proxies;
    this.run = run;
    this.random = new Random(seed);
  }

  /** Injects faults for so long. */
  void runFor(Duration length) throws Exception {
    List<Fault> faults =
        new ArrayList<>(
            List.of(
                this::killMaster,
                this::pauseMaster,
                this::pauseReplica,
                () -> onConnections(FaultProxy::cut),
                () -> onConnections(FaultProxy::refuse),
                () -> onConnections(FaultProxy::stall),
                () -> onConnections(FaultProxy::blackhole),
                () -> onConnections(proxy -> proxy.dropReplies(0.3))));
    if (topology instanceof ClusterTopology cluster) {
      faults.add(cluster::moveSlot);
      faults.add(cluster::moveSlot);
    }
    long end = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - end < 0) {
      faults.get(random.nextInt(faults.size())).inject();
      proxies.heal();
      run.awaitAnswers(100);
    }
  }

  private void killMaster() throws Exception {
    RedisServer lost = topology.master();
    lost.kill();
    topology.awaitSuccessor(lost);
    lost.restart();
    topology.follow(lost);
  }

  private void pauseMaster() throws Exception {
    RedisServer lost = topology.master();
    lost.pause();
    topology.awaitSuccessor(lost);
    lost.resume();
    passSomeTime();
    topology.follow(lost);
  }

  /** Not long enough for its master to give it up. */
  private void pauseReplica() throws Exception {
    RedisServer replica = topology.replica();
    replica.pause();
    passSomeTime();
    replica.resume();
  }

  private void onConnections(Consumer<FaultProxy> fault) {
    proxies.each(fault);
    passSomeTime();
  }

  /** Less than a lease, or more. */
  private void passSomeTime() {
    Eventually.letTimePass(
        Duration.ofNanos((long) (run.pastTheLease().toNanos() * (0.1 + random.nextDouble()))));
  }
}
