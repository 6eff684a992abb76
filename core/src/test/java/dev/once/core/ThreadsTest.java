package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnBusy;
import dev.once.core.store.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine with its own timers, on real threads. What hangs fails after a minute. */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class ThreadsTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  private static Operation pay(String key) {
    return Operation.of(
        Scope.GLOBAL,
        Key.of(key),
        Fingerprint.of("pay"),
        Policy.DEFAULT.with(p -> p.onBusy(OnBusy.WAIT)));
  }

  @Test
  void of_many_concurrent_requests_one_runs_and_all_get_its_answer() throws Exception {
    int threads = 8;
    int keys = 500;
    ExecutorService clients = Executors.newFixedThreadPool(threads);
    try (Once once = Once.on(new MemoryStore())) {
      for (int i = 0; i < keys; i++) {
        Operation operation = pay("key " + i);
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch together = new CountDownLatch(threads);
        Callable<Result> request =
            () -> {
              together.countDown();
              together.await();
              return once.run(
                  operation,
                  execution -> Answer.success(201, Body.of("run " + runs.incrementAndGet())));
            };
        List<Callable<Result>> requests = new ArrayList<>();
        for (int client = 0; client < threads; client++) {
          requests.add(request);
        }
        Answer expected = Answer.success(201, Body.of("run 1"));
        for (Future<Result> result : clients.invokeAll(requests)) {
          assertThat(result.get())
              .isIn(new Result.Executed(expected, true), new Result.Replayed(expected));
        }
      }
    } finally {
      clients.shutdown();
    }
  }

  @Test
  void a_closed_engine_leaves_no_thread_behind() throws Exception {
    Set<Thread> before = onceThreads();
    Once once = Once.on(new MemoryStore());
    once.run(pay("key"), execution -> PAID);
    Set<Thread> own = onceThreads();
    own.removeAll(before);
    assertThat(own).hasSize(1);
    once.close();
    for (Thread thread : own) {
      thread.join(10_000);
      assertThat(thread.isAlive()).isFalse();
    }
  }

  private static Set<Thread> onceThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("once-"))
        .collect(Collectors.toSet());
  }

  @Test
  void a_duplicate_that_waits_on_another_thread_is_refused_when_the_engine_closes()
      throws Exception {
    Once once = Once.on(new MemoryStore());
    once.begin(pay("key")).toCompletableFuture().join();
    Future<Result> duplicate;
    ExecutorService client = Executors.newSingleThreadExecutor();
    try {
      duplicate = client.submit(() -> once.run(pay("key"), execution -> PAID));
      while (once.waiters() == 0) {
        Thread.onSpinWait();
      }
      once.close();
      assertThat(duplicate.get()).isInstanceOf(Result.Refused.class);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void a_request_to_a_store_that_hangs_ends_although_the_engine_was_closed() {
    FaultyStore store = new FaultyStore(new MemoryStore());
    Once once = Once.builder(store).storeTimeout(Duration.ofMillis(50)).build();
    store.next(FaultyStore.Fault.HANGS);
    var hanging = once.begin(pay("key")).toCompletableFuture();
    once.close();
    assertThat(hanging.join()).isInstanceOf(Begun.Refuse.class);
  }

  @Test
  void a_recording_to_a_store_that_hangs_ends_although_the_engine_was_closed() {
    FaultyStore store = new FaultyStore(new MemoryStore());
    Once once = Once.builder(store).storeTimeout(Duration.ofMillis(50)).build();
    Begun begun = once.begin(pay("key")).toCompletableFuture().join();
    store.next(FaultyStore.Fault.HANGS);
    once.close();
    var late = ((Begun.Proceed) begun).execution().complete(PAID).toCompletableFuture();
    assertThat(late.join()).isInstanceOf(Result.Refused.class);
  }

  @Test
  void expired_records_are_purged_in_the_background() throws Exception {
    AtomicLong now = new AtomicLong();
    InstantSource clock = () -> Instant.ofEpochMilli(now.get());
    MemoryStore store = new MemoryStore(clock, 10_000, 1_000_000_000);
    try (Once once = Once.builder(store).purgeInterval(Duration.ofMillis(5)).build()) {
      for (int i = 0; i < 1500; i++) {
        once.run(pay("key " + i), execution -> PAID);
      }
      assertThat(store.size()).isEqualTo(1500);
      now.addAndGet(Policy.DEFAULT.retention().toMillis());
      while (store.size() > 0) {
        Thread.onSpinWait();
      }
    }
  }
}
