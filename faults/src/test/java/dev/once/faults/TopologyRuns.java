package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.testing.servers.FaultProxy;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every Redis goes through that has replicas: one of them takes the master's place, while two
 * engines ask for the same operations. What is on no replica then is lost, unless the store was
 * told to wait for replicas.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
abstract class TopologyRuns {

  /**
   * What a lost write breaks, says the guide: its key is new, or has an older state. Fences grow
   * even so, nobody gets an answer that no run gave, and no key stays locked.
   */
  static final Set<Rule> LOSS =
      Set.of(
          Rule.ONE_ANSWER,
          Rule.DURABLE,
          Rule.ANSWER_STAYS,
          Rule.BUSY_ENDS,
          Rule.RELEASED_IS_GONE,
          Rule.LAST_OWNER,
          Rule.UNKNOWN_RUNS_ONCE,
          Rule.LEASE_RESPECTED,
          Rule.OTHER_REQUEST_REFUSED,
          Rule.LINEARIZABLE);

  private static final long SEED = Long.getLong("once.faults.seed", System.nanoTime());
  private static final Duration STORM =
      Duration.ofSeconds(Long.getLong("once.faults.seconds", 120));

  private Topology topology;
  private Proxies proxies;
  private String url;

  abstract Topology start() throws Exception;

  Topology topology() {
    return topology;
  }

  Proxies proxies() {
    return proxies;
  }

  @BeforeAll
  void startServers() throws Exception {
    topology = start();
    proxies = new Proxies(topology.ports());
  }

  @AfterAll
  void stopServers() throws Exception {
    if (proxies != null) {
      proxies.close();
    }
    if (topology != null) {
      topology.close();
    }
  }

  @AfterEach
  void heal() {
    proxies.heal();
  }

  /** Two engines under load on a new store, one of them through the proxies. */
  Run load(String name, int replicas) {
    url = topology.newStore(replicas);
    Run run =
        new Run(getClass().getSimpleName() + ", replicas=" + replicas + ": " + name, Plan.SHORT);
    try {
      run.engine(proxies.open(url));
      run.engine(StoreOpening.open(url));
      run.awaitAnswers(100);
      return run;
    } catch (Throwable e) {
      run.close();
      throw e;
    }
  }

  void finish(Run run, Set<Rule> notPromised) {
    run.awaitAnswers(100);
    run.finish();
    run.check(() -> StoreOpening.open(url), notPromised);
  }

  /** Who is still connected with a master that was replaced: the guide says what it may be told. */
  private static Set<Rule> withTwoMasters(int replicas) {
    return replicas == 0 ? LOSS : Set.of(Rule.BUSY_ENDS, Rule.RELEASED_IS_GONE);
  }

  @Test
  void with_replicas_1_the_master_is_killed_and_its_replica_takes_over() throws Exception {
    try (Run run = load("master killed", 1)) {
      RedisServer lost = topology.master();
      lost.kill();
      topology.awaitSuccessor(lost);
      lost.restart();
      topology.follow(lost);
      finish(run, Set.of());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void the_master_is_paused_and_comes_back_when_its_replica_has_taken_over(int replicas)
      throws Exception {
    try (Run run = load("master paused", replicas)) {
      RedisServer lost = topology.master();
      lost.pause();
      topology.awaitSuccessor(lost);
      lost.resume();
      Eventually.letTimePass(run.pastTheLease()); // for so long there may be two masters
      topology.follow(lost);
      finish(run, withTwoMasters(replicas));
    }
  }

  @Test
  void with_replicas_1_connections_are_cut_and_replies_are_lost() {
    try (Run run = load("cut, lost replies", 1)) {
      for (int i = 0; i < 5; i++) {
        proxies.each(FaultProxy::cut);
        run.awaitAnswers(20);
      }
      int enough = proxies.lostReplies() + 15;
      proxies.each(proxy -> proxy.dropReplies(0.2));
      Eventually.until(() -> "lost replies", () -> proxies.lostReplies() >= enough);
      proxies.heal();
      finish(run, Set.of());
    }
  }

  @Test
  void without_replicas_that_confirm_what_the_promoted_one_was_not_sent_runs_again()
      throws Exception {
    try (Run run = load("replica behind", 0)) {
      RedisServer lost = topology.master();
      RedisServer behind = topology.replica();
      cutOff(behind, lost);
      run.awaitAnswers(50);
      lost.kill();
      behind.resume();
      topology.awaitSuccessor(lost);
      lost.restart();
      topology.follow(lost);
      run.engine(StoreOpening.open(url)); // its clients ask for what was answered before
      run.awaitAnswers(300);
      run.finish();
      List<Rule> broken =
          run.violations(() -> StoreOpening.open(url)).stream()
              .map(Violation::rule)
              .distinct()
              .toList();
      assertThat(broken).contains(Rule.ONE_ANSWER);
      assertThat(LOSS).containsAll(broken);
    }
  }

  @Test
  void with_replicas_1_a_replica_that_was_cut_off_has_all_that_anybody_was_told() throws Exception {
    try (Run run = load("replica behind", 1)) {
      RedisServer lost = topology.master();
      RedisServer behind = topology.replica();
      cutOff(behind, lost);
      run.awaitRefusals(10);
      lost.kill();
      behind.resume();
      topology.awaitSuccessor(lost);
      lost.restart();
      topology.follow(lost);
      finish(run, Set.of());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Tag("long")
  @Timeout(7200)
  void faults_of_all_kinds_follow_each_other(int replicas) throws Exception {
    System.out.println(getClass().getSimpleName() + ": seed " + SEED);
    try (Run run = load("storm", replicas)) {
      new TopologyStorm(topology, proxies, run, SEED).runFor(STORM);
      finish(run, withTwoMasters(replicas));
    }
  }

  /** What the master is sent from now on the replica is not. */
  private static void cutOff(RedisServer replica, RedisServer master) throws Exception {
    replica.pause();
    master.command("CLIENT", "KILL", "TYPE", "replica");
  }
}
