package dev.once.tck;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Runners on a thread each, which start every round at the same moment. */
final class Race {

  private static final long LONGEST_ROUND_SECONDS = 60;

  private Race() {}

  /** One round; the results in the order of the runners. */
  static <T> List<T> run(List<Supplier<T>> runners) {
    List<IntFunction<T>> once = new ArrayList<>();
    for (Supplier<T> runner : runners) {
      once.add(round -> runner.get());
    }
    return run(1, once).get(0);
  }

  /** The results by round, and in each in the order of the runners, who get the round's number. */
  static <T> List<List<T>> run(int rounds, List<IntFunction<T>> runners) {
    ExecutorService threads = Executors.newFixedThreadPool(runners.size());
    try {
      CyclicBarrier start = new CyclicBarrier(runners.size());
      CompletionService<List<T>> ended = new ExecutorCompletionService<>(threads);
      List<Future<List<T>>> results = new ArrayList<>();
      for (IntFunction<T> runner : runners) {
        results.add(ended.submit(() -> all(rounds, runner, start)));
      }
      for (int i = 0; i < runners.size(); i++) {
        ended.take().get(); // In the order of their ends: the first failure is the cause.
      }
      return byRound(rounds, results);
    } catch (ExecutionException e) {
      throw new AssertionError("a runner failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted in a race", e);
    } finally {
      threads.shutdownNow();
    }
  }

  private static <T> List<T> all(int rounds, IntFunction<T> runner, CyclicBarrier start)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    List<T> results = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      start.await(LONGEST_ROUND_SECONDS, SECONDS);
      results.add(runner.apply(round));
    }
    return results;
  }

  private static <T> List<List<T>> byRound(int rounds, List<Future<List<T>>> results)
      throws InterruptedException, ExecutionException {
    List<List<T>> byRound = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<T> ofRound = new ArrayList<>();
      for (Future<List<T>> result : results) {
        ofRound.add(result.get().get(round));
      }
      byRound.add(ofRound);
    }
    return byRound;
  }
}
