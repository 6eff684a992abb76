package dev.once.faults;

import dev.once.testing.servers.NetworkHost;
import dev.once.testing.servers.NetworkLink;
import dev.once.testing.servers.RedisReplicas;
import dev.once.testing.servers.RedisServer;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * A master and its replica, each on a host of its own, that are cut off from each other only: both
 * can be reached by clients. With {@code replicas=1} nothing that one of them alone knows counts.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class RedisReplicaPartitionsTest {

  private static final String[] DURABLE = {"appendonly yes", "appendfsync always"};

  private NetworkHost masterHost;
  private NetworkHost replicaHost;
  private NetworkLink link;
  private RedisServer master;
  private RedisServer replica;
  private String name;

  @BeforeEach
  void start(TestInfo test) throws IOException {
    name = getClass().getSimpleName() + ": " + test.getDisplayName();
    masterHost = NetworkHost.start();
    replicaHost = NetworkHost.start();
    link = masterHost.linkFrom(replicaHost);
    master = RedisServer.start(masterHost, DURABLE);
    replica = RedisServer.start(replicaHost, DURABLE);
    replica.command("REPLICAOF", link.address(), "" + master.port());
    RedisReplicas.awaitLink(replica);
  }

  @AfterEach
  void stop() throws IOException {
    for (AutoCloseable each : new AutoCloseable[] {master, replica, masterHost, replicaHost}) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }

  /** The master, where nothing counts that the replica does not have. */
  private String url() {
    return master.url() + "?replicas=1";
  }

  private void partition(Consumer<NetworkLink> fault) {
    try (Run run = new Run(name, Plan.SHORT)) {
      run.engine(StoreOpening.open(url()));
      run.engine(StoreOpening.open(url()));
      run.awaitAnswers(200);
      fault.accept(link);
      Eventually.letTimePass(run.pastTheLease());
      run.awaitRefusals(5);
      link.heal();
      run.awaitAnswers(100);
      run.finish();
      run.check(() -> StoreOpening.open(master.url()));
    }
  }

  @Test
  void writes_do_not_reach_the_replica_past_the_lease() {
    partition(NetworkLink::loseReplies);
  }

  @Test
  void writes_reach_the_replica_and_its_master_does_not_hear_so() {
    partition(NetworkLink::loseRequests);
  }

  /**
   * An old master does not know that it is one. Who still asks it is given what was confirmed
   * before, also if a person released it on the new one since; or is told that another one's claim,
   * which counts for nobody, runs.
   */
  private static final Set<Rule> NOT_PROMISED_BY_AN_OLD_MASTER =
      Set.of(Rule.RELEASED_IS_GONE, Rule.BUSY_ENDS);

  @Test
  @Tag("long")
  void the_replica_is_promoted_while_a_process_still_uses_the_old_master() throws Exception {
    try (Run run = new Run(name, Plan.SHORT)) {
      ClientProcess left = run.process(url());
      run.awaitAnswers(200);
      link.cut();
      run.awaitRefusals(5);
      replica.command("REPLICAOF", "NO", "ONE");
      run.engine(StoreOpening.open(replica.url())); // asks for what was answered before, too
      Eventually.letTimePass(run.pastTheLease());
      run.awaitAnswers(400);
      left.kill();
      run.finish();
      run.check(() -> StoreOpening.open(replica.url()), NOT_PROMISED_BY_AN_OLD_MASTER);
    }
  }
}
