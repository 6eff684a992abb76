package dev.once.stores.redis;

import static dev.once.stores.redis.StoreSteps.LEASE;
import static dev.once.stores.redis.StoreSteps.PAID;
import static dev.once.stores.redis.StoreSteps.RETENTION;
import static dev.once.stores.redis.StoreSteps.assertReplays;
import static dev.once.stores.redis.StoreSteps.await;
import static dev.once.stores.redis.StoreSteps.claim;
import static dev.once.stores.redis.StoreSteps.complete;
import static dev.once.stores.redis.StoreSteps.eventually;
import static dev.once.stores.redis.StoreSteps.finished;
import static dev.once.stores.redis.StoreSteps.granted;
import static dev.once.stores.redis.StoreSteps.id;
import static dev.once.stores.redis.StoreSteps.openSoon;
import static dev.once.stores.redis.StoreSteps.outcome;
import static dev.once.stores.redis.StoreSteps.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import dev.once.testing.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** What happens to steps when a server is flushed, killed, paused or full. Real servers, all. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ServerFaultsTest {

  private static final String IMPATIENT = "?timeout=300ms&connect-timeout=5s";

  /** A disk may be slow. */
  private static final String PATIENT = "?timeout=60s";

  @Test
  void a_flush_of_the_scripts_is_not_noticed() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      Lease lease = granted(store, "a");
      for (int i = 0; i < 4; i++) {
        server.command("SCRIPT", "FLUSH");
        switch (i) {
          case 0 -> assertThat(await(store.renew(lease, LEASE))).isTrue();
          case 1 -> assertThat(complete(store, lease)).isTrue();
          case 2 -> assertReplays(store, "a");
          default -> assertThat(await(store.forceRelease(id("a"), lease.fence()))).isTrue();
        }
      }
    }
  }

  @Test
  void after_a_restart_with_its_file_every_acknowledged_answer_is_there() throws Exception {
    try (RedisServer server = RedisServer.start("appendonly yes", "appendfsync always");
        RedisStore store = RedisStore.open(server.url() + PATIENT)) {
      Map<String, Lease> acknowledged = new ConcurrentHashMap<>();
      Map<String, Lease> claimed = new ConcurrentHashMap<>();
      ExecutorService callers = Executors.newFixedThreadPool(8);
      CountDownLatch underLoad = new CountDownLatch(500);
      for (int caller = 0; caller < 8; caller++) {
        String name = "caller " + caller + " ";
        callers.execute(
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                if (!(outcome(store.claim(request(name + i))) instanceof Claim.Granted granted)) {
                  return; // the server is gone
                }
                claimed.put(name + i, granted.lease());
                if (!outcome(store.complete(granted.lease(), PAID, RETENTION)).equals(true)) {
                  return;
                }
                acknowledged.put(name + i, granted.lease());
                underLoad.countDown();
              }
            });
      }
      underLoad.await();
      server.kill();
      callers.shutdown();
      assertThat(callers.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      server.restart();

      eventually(() -> claim(store, "the store finds the server again"));
      acknowledged.keySet().forEach(key -> assertReplays(store, key));
      claimed.keySet().removeAll(acknowledged.keySet());
      claimed.forEach(
          (key, lease) ->
              assertThat(claim(store, key))
                  .as("an acknowledged claim is not forgotten")
                  .isInstanceOfAny(Claim.Busy.class, Claim.Finished.class));
    }
  }

  @Test
  void after_a_restart_with_nothing_kept_keys_are_new_and_their_fences_higher() throws Exception {
    try (RedisServer server = RedisServer.start("save ''");
        RedisStore store = RedisStore.open(server.url())) {
      Lease forgotten = finished(store, "a");
      server.kill();
      server.restart();

      Lease again = eventually(() -> granted(store, "a"));

      assertThat(again.fence()).isGreaterThan(forgotten.fence());
      assertThat(complete(store, forgotten)).as("the late owner").isFalse();
      assertThat(complete(store, again)).isTrue();
    }
  }

  @Test
  void a_lost_server_fails_steps_as_not_taken_and_nothing_is_queued_for_it() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      server.kill();
      eventually(
          () ->
              assertThat(outcome(store.claim(request("a"))))
                  .isInstanceOf(StepNotTakenException.class));
      List<CompletableFuture<Claim>> refused = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        refused.add(store.claim(request("b")).toCompletableFuture());
      }
      assertThat(refused)
          .allSatisfy(step -> assertThat(outcome(step)).isInstanceOf(StepNotTakenException.class));

      server.restart();

      eventually(() -> claim(store, "c"));
      assertThat(await(store.find(id("a")))).isEmpty();
      assertThat(await(store.find(id("b")))).isEmpty();
    }
  }

  @Test
  void a_server_paused_past_the_lease_lets_a_taker_in_and_the_late_owner_out() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url());
        RedisStore impatient = openSoon(server.url() + IMPATIENT)) {
      Duration lease = Duration.ofMillis(100);
      Lease late = granted(store, request("a", lease, false));
      ClaimRequest taking = request("a", LEASE, true);
      ClaimRequest unanswered = request("b");
      server.pause();
      Object outcome = outcome(impatient.claim(unanswered));
      assertThat(outcome).isInstanceOf(StoreException.class);
      assertThat(outcome).as("it may have been taken").isNotInstanceOf(StepNotTakenException.class);
      server.resume();

      Lease taker = eventually(() -> granted(store, taking));

      assertThat(taker.attempt()).isEqualTo(2);
      assertThat(complete(store, late)).isFalse();
      assertThat(complete(store, taker)).isTrue();
      Lease found = eventually(() -> granted(impatient, unanswered));
      assertThat(found).as("the same claim, asked again").isEqualTo(granted(store, unanswered));
    }
  }

  @Test
  void a_connection_that_has_gone_silent_is_replaced() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = openSoon(server.url() + IMPATIENT)) {
      String before = connections(server);
      server.pause();
      eventually( // after some time-outs the connection is given up, and there is no other
          () ->
              assertThat(outcome(store.claim(request("a"))))
                  .isInstanceOf(StepNotTakenException.class));
      server.resume();

      eventually(() -> claim(store, "b"));
      assertThat(connections(server)).isNotEqualTo(before);
    }
  }

  private static String connections(RedisServer server) throws Exception {
    return server
        .command("CLIENT", "LIST", "TYPE", "normal")
        .lines()
        .filter(line -> !line.contains(" cmd=client|list ")) // this one
        .map(line -> line.replaceAll("(id=\\d+) .*", "$1"))
        .collect(Collectors.joining(", "));
  }

  @Test
  void a_full_server_refuses_new_keys_and_lets_those_it_has_end() throws Exception {
    try (RedisServer server = RedisServer.start("maxmemory-policy noeviction");
        RedisStore store = RedisStore.open(server.url())) {
      finished(store, "done");
      Lease running = granted(store, "running");
      ClaimRequest inDoubt = request("in doubt");
      granted(store, inDoubt);
      server.command("CONFIG", "SET", "maxmemory", "1mb");

      assertThat(outcome(store.claim(request("new")))).isInstanceOf(StoreFullException.class);
      assertThat(await(store.find(id("new")))).isEmpty();
      assertReplays(store, "done");
      assertThat(claim(store, "running")).isInstanceOf(Claim.Busy.class);
      assertThat(await(store.renew(running, LEASE))).isTrue();
      assertThat(complete(store, running)).isTrue();
      assertReplays(store, "running");
      assertThat(await(store.withdraw(inDoubt.id(), inDoubt.token()))).isTrue();

      try (RedisStore opened = RedisStore.open(server.url())) {
        assertReplays(opened, "done");
      }
    }
  }

  @Test
  void a_server_that_became_a_replica_says_so() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      server.command("REPLICAOF", "127.0.0.1", "1");

      assertThat((Throwable) outcome(store.claim(request("a"))))
          .isInstanceOf(StepNotTakenException.class)
          .hasMessageContaining("READONLY")
          .hasMessageContaining("Sentinel");

      server.command("REPLICAOF", "NO", "ONE");
      eventually(() -> claim(store, "b"));
    }
  }

  @Test
  void a_demoted_master_grants_nothing_not_even_again() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      ClaimRequest request = request("a");
      granted(store, request);
      server.command("REPLICAOF", "127.0.0.1", "1");

      assertThat(outcome(store.claim(request)))
          .as("the same claim, asked again")
          .isInstanceOf(StepNotTakenException.class)
          .asString()
          .contains("READONLY");
    }
  }

  @Test
  void a_record_that_cannot_be_read_is_said_to_be_there() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url());
        RedisStore stranger = RedisStore.open(server.url())) {
      for (String damage : List.of("state", "replayed", "answer", "type", "short")) {
        Lease lease = damage.equals("state") ? granted(store, damage) : finished(store, damage);
        String name = key(server);
        switch (damage) {
          case "state", "replayed" -> server.command("HSET", name, "state", "2 of a newer version");
          case "answer" -> server.command("HSET", name, "answer", "x".repeat(70));
          case "short" -> server.command("HSET", name, "answer", "");
          default -> server.command("SET", name, "a string");
        }

        for (RedisStore asked : List.of(store, stranger)) {
          assertThat(outcome(asked.claim(request(damage))))
              .as(damage)
              .isInstanceOf(RecordFormatException.class);
        }
        assertThat(outcome(store.find(id(damage)))).isInstanceOf(RecordFormatException.class);
        if (damage.equals("state")) {
          assertThat(outcome(store.complete(lease, PAID, RETENTION)))
              .isInstanceOf(RecordFormatException.class);
        }
        server.command("DEL", name);
      }
    }
  }

  private static String key(RedisServer server) throws Exception {
    return server.command("KEYS", "once:*").strip();
  }

  @Test
  void wake_ups_come_also_after_their_connection_was_cut() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      Semaphore woken = new Semaphore(0);
      Lease first = granted(store, "a");
      try (Store.Watch watch = store.watch(id("a"), woken::release)) {
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        eventually(() -> assertThat(server.command("PUBSUB", "CHANNELS")).startsWith("once:"));
        complete(store, first);
        assertThat(woken.tryAcquire(300, TimeUnit.SECONDS)).isTrue();
      }
      eventually(() -> assertThat(server.command("PUBSUB", "CHANNELS")).isEqualTo(""));
    }
  }

  @Test
  void more_steps_than_may_wait_are_refused() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?max-queued=50&timeout=60s")) {
      server.pause();
      List<CompletableFuture<Claim>> steps = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        steps.add(store.claim(request("key " + i)).toCompletableFuture());
      }
      CompletableFuture<Object> refused = new CompletableFuture<>();
      steps.forEach(
          step ->
              step.exceptionally(
                  f -> {
                    refused.complete(f);
                    return null;
                  }));
      assertThat(refused.get(300, TimeUnit.SECONDS)).isInstanceOf(StepNotTakenException.class);
      server.resume();
      assertThat(steps)
          .anySatisfy(step -> assertThat(outcome(step)).isInstanceOf(Claim.Granted.class));
    }
  }
}
