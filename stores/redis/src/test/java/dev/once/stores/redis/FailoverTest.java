package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.PAID;
import static dev.once.stores.redis.StoreSteps.RETENTION;
import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.claim;
import static dev.once.stores.redis.StoreSteps.complete;
import static dev.once.stores.redis.StoreSteps.eventually;
import static dev.once.stores.redis.StoreSteps.finished;
import static dev.once.stores.redis.StoreSteps.granted;
import static dev.once.stores.redis.StoreSteps.openSoon;
import static dev.once.stores.redis.StoreSteps.outcome;
import static dev.once.stores.redis.StoreSteps.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreException;
import dev.once.testing.servers.RedisCluster;
import dev.once.testing.servers.RedisReplicas;
import dev.once.testing.servers.RedisSentinels;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** What a failover costs: what may be lost, what may not, and that it goes on by itself. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class FailoverTest {

  /** A replica may be slow to confirm. */
  private static final String PATIENT = "?replicas=1&replicas-timeout=30s&timeout=60s";

  private static final String IMPATIENT = "?replicas=1&replicas-timeout=200ms";

  @Test
  void a_promoted_replica_has_lost_what_it_was_not_sent_and_gives_a_higher_fence()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1)) {
      Lease lost;
      try (RedisStore store = RedisStore.open(servers.master().url())) {
        finished(store, "replicated");
        eventually(() -> isInStep(servers));
        cutOff(servers);
        lost = finished(store, "unreplicated");
      }
      promote(servers);

      try (RedisStore store = RedisStore.open(servers.replica(0).url())) {
        assertReplays(store, "replicated");
        Lease again = granted(store, "unreplicated"); // an acknowledged answer is gone: this is why
        assertThat(again.fence()).isGreaterThan(lost.fence());
        assertThat(complete(store, lost)).isFalse();
      }
    }
  }

  @Test
  void with_replicas_1_no_acknowledged_answer_is_lost_by_a_promotion() throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1)) {
      try (RedisStore patient = RedisStore.open(servers.master().url() + PATIENT);
          RedisStore store =
              openSoon(servers.master().url() + "?replicas=1&replicas-timeout=200ms")) {
        finished(patient, "acknowledged");
        Lease unconfirmed = granted(patient, "unconfirmed");
        cutOff(servers);

        Object outcome = outcome(store.complete(unconfirmed, PAID, RETENTION));

        assertThat((Throwable) outcome)
            .isInstanceOf(StoreException.class)
            .as("it is on the master, and may stay")
            .isNotInstanceOf(StepNotTakenException.class)
            .hasMessageContaining("0 of 1 replicas");
        assertThat(outcome(store.claim(request("new")))).isInstanceOf(StoreException.class);
      }
      promote(servers);

      try (RedisStore store = RedisStore.open(servers.replica(0).url())) {
        assertReplays(store, "acknowledged");
        assertThat(claim(store, "unconfirmed"))
            .as("its claim was acknowledged, and so is not forgotten")
            .isInstanceOfAny(Claim.Busy.class, Claim.Finished.class);
      }
    }
  }

  @Test
  void with_replicas_1_an_answer_that_no_replica_has_is_replayed_to_nobody() throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        RedisStore patient = RedisStore.open(servers.master().url() + PATIENT);
        RedisStore owner = openSoon(servers.master().url() + IMPATIENT);
        RedisStore other = openSoon(servers.master().url() + IMPATIENT)) {
      Lease lease = granted(patient, "a");
      servers.replica(0).pause(); // it stays connected, and is counted as one that has much

      assertUnknown(outcome(owner.complete(lease, PAID, RETENTION)));
      assertUnknown(outcome(other.claim(request("a"))));
      assertUnknown(outcome(owner.claim(request("a"))));
      assertUnknown(outcome(other.complete(lease, PAID, RETENTION)));

      servers.replica(0).resume();
      eventually(
          () -> {
            assertReplays(other, "a");
            return true;
          });
    }
  }

  /** It may have been replaced: then the owner has recorded its answer elsewhere. */
  @Test
  void with_replicas_1_a_master_without_replicas_does_not_say_that_an_owner_crashed()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        RedisStore patient = RedisStore.open(servers.master().url() + PATIENT);
        RedisStore other = openSoon(servers.master().url() + IMPATIENT)) {
      granted(patient, request("a", Duration.ofMillis(1), false));
      eventually(() -> assertThat(claim(patient, "a")).isInstanceOf(Claim.Abandoned.class));
      servers.replica(0).pause();

      assertUnknown(outcome(other.claim(request("a"))));

      servers.replica(0).resume();
      eventually(() -> assertThat(claim(other, "a")).isInstanceOf(Claim.Abandoned.class));
    }
  }

  @Test
  void with_replicas_1_a_withdrawal_that_no_replica_has_is_not_done_however_often_it_is_tried()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        RedisStore patient = RedisStore.open(servers.master().url() + PATIENT);
        RedisStore store = openSoon(servers.master().url() + IMPATIENT)) {
      ClaimRequest request = request("a");
      granted(patient, request);
      servers.replica(0).pause();

      assertUnknown(outcome(store.withdraw(request.id(), request.token())));
      assertUnknown(outcome(store.withdraw(request.id(), request.token())));

      servers.replica(0).resume();
      assertThat(await(patient.withdraw(request.id(), request.token()))).isFalse();
    }
  }

  /** Else a failover may bring back what an earlier try, on another connection, has removed. */
  @Test
  void with_replicas_1_a_withdrawal_that_finds_nothing_writes_for_its_replicas_to_confirm()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        RedisStore store = RedisStore.open(servers.master().url() + PATIENT)) {
      ClaimRequest request = request("a");
      String writes = writes(servers);
      assertThat(await(store.withdraw(request.id(), request.token()))).isFalse();
      assertThat(writes(servers)).as("no record").isNotEqualTo(writes);
      assertThat(await(store.inspection().find(request.id()))).isEmpty();

      finished(store, "a");
      writes = writes(servers);
      assertThat(await(store.withdraw(request.id(), request.token()))).isFalse();
      assertThat(writes(servers)).as("another's").isNotEqualTo(writes);
      assertReplays(store, "a");
    }
  }

  private static String writes(RedisReplicas servers) throws Exception {
    return servers.master().info("commandstats", "cmdstat_hset").replaceAll(",.*", "");
  }

  private static void assertUnknown(Object outcome) {
    assertThat(outcome)
        .isInstanceOf(StoreException.class)
        .isNotInstanceOf(StepNotTakenException.class)
        .asString()
        .contains("0 of 1 replicas");
  }

  @Test
  void with_replicas_1_what_this_process_knows_to_be_confirmed_is_replayed_in_one_round_trip()
      throws Exception {
    try (RedisReplicas servers = RedisReplicas.start(1);
        RedisStore store = RedisStore.open(servers.master().url() + PATIENT);
        RedisStore other = RedisStore.open(servers.master().url() + PATIENT)) {
      finished(store, "a");
      String waits = waits(servers);
      assertReplays(store, "a");
      assertThat(waits(servers)).isEqualTo(waits);

      String writes = servers.master().info("commandstats", "cmdstat_pexpireat");
      assertReplays(other, "a");
      assertThat(servers.master().info("commandstats", "cmdstat_pexpireat"))
          .as("from Redis 7.2 on, WAIT is about what was written on its own connection")
          .isNotEqualTo(writes);
      waits = waits(servers);
      assertReplays(other, "a");
      assertThat(waits(servers)).isEqualTo(waits);
    }
  }

  /** How often the master was asked to wait for its replica. */
  private static String waits(RedisReplicas servers) throws Exception {
    return servers.master().info("commandstats", "cmdstat_wait").replaceAll(",.*", "");
  }

  /** That the replica has all that its master has written. */
  private static Object isInStep(RedisReplicas servers) throws Exception {
    return assertThat(servers.replica(0).info("replication", "slave_repl_offset"))
        .isEqualTo(servers.master().info("replication", "master_repl_offset"));
  }

  /** What is written from now on is not sent to the replica. */
  private static void cutOff(RedisReplicas servers) throws Exception {
    servers.replica(0).pause();
    servers.master().command("CLIENT", "KILL", "TYPE", "replica");
  }

  private static void promote(RedisReplicas servers) throws Exception {
    servers.master().kill();
    servers.replica(0).resume();
    servers.replica(0).command("REPLICAOF", "NO", "ONE");
  }

  @Test
  void sentinels_promote_a_replica_and_the_store_goes_on_with_it() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(1);
        RedisStore store = openSoon(sentinels.url().replace("#", "?replicas=0&timeout=1s#"))) {
      Set<String> acknowledged = ConcurrentHashMap.newKeySet();
      AtomicBoolean over = new AtomicBoolean();
      CountDownLatch underLoad = new CountDownLatch(200);
      ExecutorService callers = Executors.newFixedThreadPool(4);
      for (int caller = 0; caller < 4; caller++) {
        String name = "caller " + caller + " ";
        callers.execute(() -> finishMany(store, name, acknowledged, underLoad, over));
      }
      underLoad.await();
      RedisServer lost = sentinels.master();
      lost.kill();
      sentinels.awaitOtherMaster(lost);

      eventually(() -> finished(store, "after " + System.nanoTime()));
      over.set(true);
      callers.shutdown();
      assertThat(callers.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      long kept =
          acknowledged.stream()
              .filter(key -> outcome(store.claim(request(key))) instanceof Claim.Finished)
              .count();
      assertThat(kept).as("all but the last few, of " + acknowledged.size()).isPositive();
    }
  }

  private static void finishMany(
      RedisStore store,
      String name,
      Set<String> acknowledged,
      CountDownLatch underLoad,
      AtomicBoolean over) {
    for (int i = 0; !over.get(); i++) {
      if (outcome(store.claim(request(name + i))) instanceof Claim.Granted granted
          && outcome(store.complete(granted.lease(), PAID, RETENTION)).equals(true)) {
        acknowledged.add(name + i);
        underLoad.countDown();
      }
    }
  }

  @Test
  void a_cluster_promotes_the_replica_of_a_lost_node_and_the_store_goes_on_with_it()
      throws Exception {
    try (RedisCluster cluster = RedisCluster.start(1);
        RedisStore patient = RedisStore.open(cluster.url() + PATIENT);
        RedisStore store =
            openSoon(cluster.url() + "?replicas=1&replicas-timeout=500ms&timeout=1s")) {
      for (int i = 0; i < 30; i++) {
        finished(patient, "key " + i);
      }
      cluster.node(1).kill();

      // The node that took over has no replica left to confirm. Who knows that one had the answer,
      // when it was recorded, replays it.
      for (int i = 0; i < 30; i++) {
        String key = "key " + i;
        eventually(
            () -> {
              assertReplays(patient, key);
              return true;
            });
      }
      // The other nodes have replicas.
      eventually(() -> finished(store, "new " + System.nanoTime()));
    }
  }
}
