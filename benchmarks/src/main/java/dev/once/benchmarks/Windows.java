package dev.once.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Ways to do a thing, measured in turns: a window of each, then a window of each again. What
 * disturbs the machine for a while so disturbs all of them. The result of a way is the median of
 * its windows, in operations a second.
 */
final class Windows {

  private static final int CALLERS = 64;

  private final Duration window = Duration.ofSeconds(Long.getLong("window", 4));
  private final int rounds = Integer.getInteger("rounds", 5);
  private final int warmUps = Integer.getInteger("warmUps", 3);
  private final Map<String, Callable<Double>> ways = new LinkedHashMap<>();

  /** What can be done, and can fail. */
  interface Work {
    void run() throws Exception;
  }

  /** 64 threads, each of which waits for its reply. */
  Windows blocking(String name, Work operation) {
    return blocking(name, CALLERS, operation);
  }

  /** So many threads, each of which waits for its reply. */
  Windows blocking(String name, int threads, Work operation) {
    ways.put(name, () -> blocking(threads, operation));
    return this;
  }

  /** One thread that keeps 64 in flight. */
  Windows inFlight(String name, Supplier<CompletionStage<?>> operation) {
    ways.put(name, () -> inFlight(operation));
    return this;
  }

  Map<String, Double> medians() throws Exception {
    Map<String, Double> medians = new LinkedHashMap<>();
    measure().forEach((name, values) -> medians.put(name, median(values)));
    return medians;
  }

  /** All windows of each way. */
  Map<String, List<Double>> measure() throws Exception {
    Map<String, List<Double>> measured = new LinkedHashMap<>();
    for (int round = -warmUps; round < rounds; round++) {
      for (Map.Entry<String, Callable<Double>> way : ways.entrySet()) {
        double perSecond = way.getValue().call();
        System.out.printf(
            "%s %d: %s %.0f per s%n",
            round < 0 ? "warm-up" : "round", round, way.getKey(), perSecond);
        if (round >= 0) {
          measured.computeIfAbsent(way.getKey(), any -> new ArrayList<>()).add(perSecond);
        }
      }
    }
    return measured;
  }

  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private double blocking(int callers, Work operation) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    LongAdder done = new LongAdder();
    CountDownLatch ended = new CountDownLatch(callers);
    long start = System.nanoTime();
    for (int i = 0; i < callers; i++) {
      threads.execute(
          () -> {
            try {
              while (System.nanoTime() - start < window.toNanos()) {
                operation.run();
                done.increment();
              }
            } catch (Exception e) {
              throw new IllegalStateException(e);
            } finally {
              ended.countDown();
            }
          });
    }
    ended.await();
    double perSecond = done.sum() * 1e9 / (System.nanoTime() - start);
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.MINUTES);
    return perSecond;
  }

  private double inFlight(Supplier<CompletionStage<?>> operation) throws InterruptedException {
    Semaphore free = new Semaphore(CALLERS);
    long start = System.nanoTime();
    long done = 0;
    while (System.nanoTime() - start < window.toNanos()) {
      free.acquire();
      operation.get().whenComplete((any, failure) -> free.release());
      done++;
    }
    free.acquire(CALLERS);
    return done * 1e9 / (System.nanoTime() - start);
  }
}
