package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.Claim.Finished;
import dev.once.core.store.Claim.Granted;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three nodes, one database, and a cache that is lost, emptied, rolled back, replaced by a copy
 * that lags, and reached by ways that refuse, delay and repeat. A seed decides all of it; a seed
 * that fails, fails again.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LyingCacheTest {

  private static final int STEPS = 300;

  @Test
  void a_cache_that_loses_delays_repeats_and_rolls_back_grants_nothing_and_makes_nothing_up() {
    Coverage coverage = run(1, 300);

    assertThat(coverage.replaysWithoutDatabase).isPositive();
    assertThat(coverage.busyWithoutDatabase).isPositive();
    assertThat(coverage.grants).isPositive();
    assertThat(coverage.releasedByPeople).isPositive();
  }

  @Test
  @Tag("long")
  void nor_in_many_more_schedules() {
    run(1_000_000, 20_000);
  }

  @Test
  void a_cache_that_lets_a_late_put_replace_a_newer_one_is_found_out() {
    assertThatThrownBy(
            () -> LongStream.range(1, 600).forEach(s -> new World(s, false).run(new Coverage())))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a person has released");
  }

  private static Coverage run(long from, int count) {
    Coverage coverage = new Coverage();
    for (long seed = from; seed < from + count; seed++) {
      try {
        new World(seed, true).run(coverage);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    return coverage;
  }

  private static final class Coverage {
    int replaysWithoutDatabase;
    int busyWithoutDatabase;
    int grants;
    int releasedByPeople;
  }

  /** Who asks again, asks the same node. */
  private record Asked(ClaimRequest request, TieredStore node) {}

  private record Owned(Lease lease, TieredStore node) {}

  /** One run. */
  private static final class World {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration RETENTION = Duration.ofMinutes(2);

    private final RandomGenerator random;
    private final ManualScheduler time = new ManualScheduler();
    private final MemoryStore memory = new MemoryStore(time, 1000, 10_000_000);
    private final CountingStore database = new CountingStore(memory);
    private final List<OperationId> ids =
        IntStream.range(0, 4)
            .mapToObj(i -> new OperationId(Scope.GLOBAL, Key.of("k" + i)))
            .toList();
    private final List<UnreliableLink> links = new ArrayList<>();
    private final List<TieredStore> nodes = new ArrayList<>();
    private final List<Asked> requests = new ArrayList<>();
    private final List<Owned> leases = new ArrayList<>();
    private final DatabaseHistory databaseHistory;
    private final CacheServer[] servers;
    private CacheServer server;
    private Runnable snapshot;
    private int answers;

    World(long seed, boolean heedsRank) {
      random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      servers =
          new CacheServer[] {new CacheServer(time, heedsRank), new CacheServer(time, heedsRank)};
      server = servers[0];
      snapshot = server.snapshot();
      TieredSettings settings =
          (random.nextBoolean() ? TieredSettings.forFallback() : TieredSettings.forCache())
              .withLongestStay(Duration.ofSeconds(40));
      databaseHistory = new DatabaseHistory(memory, time, settings, ids);
      int faults = random.nextInt(3) * 20;
      for (int i = 0; i < 3; i++) {
        UnreliableLink link = new UnreliableLink(random, time, () -> server);
        link.faults = faults;
        links.add(link);
        nodes.add(new TieredStore(database, link, settings, time));
      }
    }

    void run(Coverage coverage) {
      for (int i = 0; i < STEPS; i++) {
        databaseHistory.observe();
        step(coverage);
        databaseHistory.observe();
      }
      inTheEndAllAgree();
    }

    private void step(Coverage coverage) {
      database.losesReplies = random.nextInt(20) == 0;
      switch (random.nextInt(16)) {
        case 0, 1, 2, 3, 4, 5 -> claim(coverage);
        case 6, 7 -> complete();
        case 8 -> release();
        case 9 -> renew();
        case 10 -> forceRelease(coverage);
        case 11, 12 -> timePasses();
        case 13 -> snapshot = server.snapshot();
        default -> cacheChanges();
      }
      database.losesReplies = false;
    }

    private static ClaimRequest withoutTakeover(ClaimRequest request) {
      return new ClaimRequest(
          request.id(),
          request.fingerprint(),
          request.token(),
          request.lease(),
          request.retention(),
          false);
    }

    private void claim(Coverage coverage) {
      boolean again = !requests.isEmpty() && random.nextInt(4) == 0;
      Asked asked = again ? any(requests) : newRequest();
      ClaimRequest request = asked.request;
      int before = database.steps;
      boolean loses = database.losesReplies;
      Claim reply = await(asked.node.claim(request));
      if (database.steps > before) {
        // The database's own reply, which may have been lost: asked for again, it is the same.
        Claim its = memory.claim(withoutTakeover(request)).toCompletableFuture().join();
        if (its instanceof Granted granted) {
          databaseHistory.granted(request, granted.lease());
          leases.add(new Owned(granted.lease(), asked.node));
          coverage.grants++;
        }
        databaseHistory.observe();
      }
      if (reply != null) {
        databaseHistory.check(request, reply);
        coverage.replaysWithoutDatabase +=
            reply instanceof Finished && database.steps == before ? 1 : 0;
        coverage.busyWithoutDatabase +=
            reply instanceof Claim.Busy && database.steps == before ? 1 : 0;
      } else {
        assertThat(loses).isTrue();
      }
    }

    private Asked newRequest() {
      Fingerprint asked = Fingerprint.of(random.nextInt(5) == 0 ? "another" : "one");
      ClaimRequest request =
          new ClaimRequest(
              any(ids), asked, random.nextLong(), LEASE, RETENTION, random.nextBoolean());
      requests.add(new Asked(request, any(nodes)));
      return requests.get(requests.size() - 1);
    }

    /** An owner may try with another answer: the first one stays. */
    private void complete() {
      if (!leases.isEmpty()) {
        Owned owned = any(leases);
        Answer answer = Answer.success(200, Body.of("answer " + answers++));
        await(owned.node.complete(owned.lease, answer, RETENTION));
      }
    }

    private void release() {
      if (!leases.isEmpty()) {
        await(any(nodes).release(any(leases).lease));
      }
    }

    private void renew() {
      if (!leases.isEmpty()) {
        await(any(nodes).renew(any(leases).lease, LEASE));
      }
    }

    private void forceRelease(Coverage coverage) {
      OperationId id = any(ids);
      OperationRecord record = databaseHistory.record(id);
      if (record != null) {
        int node = random.nextInt(nodes.size());
        await(nodes.get(node).inspection().forceRelease(id, record.lease().fence()));
        databaseHistory.released(id, links.get(node).putArrived);
        coverage.releasedByPeople++;
      }
    }

    private void timePasses() {
      Duration some = Duration.ofMillis(random.nextLong(1L << random.nextInt(17)));
      databaseHistory.timeWillPass(some);
      time.advance(some);
    }

    private void cacheChanges() {
      switch (random.nextInt(6)) {
        case 0 -> server.empty();
        case 1 -> snapshot.run();
        case 2 -> server = any(List.of(servers));
        default -> {
          any(links).faults = random.nextInt(3) * 30;
          return;
        }
      }
      databaseHistory.cacheChanged();
    }

    /** Whatever was wrong, when it is over every node says what the database holds. */
    private void inTheEndAllAgree() {
      links.forEach(link -> link.faults = 0);
      Duration soon = Duration.ofSeconds(46);
      databaseHistory.timeWillPass(soon);
      time.advance(soon);
      for (OperationId id : ids) {
        OperationRecord record = databaseHistory.record(id);
        if (record != null && record.answer() != null) {
          for (TieredStore node : nodes) {
            ClaimRequest request =
                new ClaimRequest(
                    id, record.fingerprint(), random.nextLong(), LEASE, RETENTION, true);
            assertThat(await(node.claim(request)))
                .isEqualTo(new Finished(record.fingerprint(), record.answer()));
          }
        }
      }
    }

    /** The reply; null if it was lost. What the cache does not say is over with the timeout. */
    private <T> T await(CompletionStage<T> stage) {
      CompletableFuture<T> future = stage.toCompletableFuture();
      while (!future.isDone()) {
        Duration timeout = Duration.ofMillis(50);
        databaseHistory.timeWillPass(timeout);
        time.advance(timeout);
      }
      return future.isCompletedExceptionally() ? null : future.join();
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }
  }
}
