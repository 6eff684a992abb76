package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Result;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Hundreds of first requests at once, each with a key of its own, and all of them meet the same
 * fault. What each client is told then is "try again". So when the fault is over each key can be
 * used, long before the lease ends of a claim that got through and that nobody runs.
 */
final class Burst implements AutoCloseable {

  private static final int KEYS = 400;

  /** A slow machine that is asked for more than it can do in time refuses for that reason. */
  private static final int RETRIES_AT_ONCE = 20;

  /** More than anybody waits for here: a key that is free before was freed by the engine. */
  private static final Duration LEASE = Eventually.TIMEOUT.multipliedBy(10);

  private final Store store;
  private final Once once;
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private List<String> unanswered = IntStream.range(0, KEYS).mapToObj(i -> "burst-" + i).toList();

  Burst(Store store) {
    this.store = store;
    this.once = Once.builder(store).storeTimeout(Plan.SHORT.storeTimeout()).build();
  }

  int unanswered() {
    return unanswered.size();
  }

  /** Asks for all, all at once; how many have no answer then. */
  int ask() {
    unanswered = refused(unanswered);
    return unanswered.size();
  }

  private List<String> refused(List<String> keys) {
    Map<String, CompletableFuture<Result>> calls =
        keys.stream().collect(Collectors.toMap(key -> key, this::run));
    List<String> refused = new ArrayList<>();
    calls.forEach(
        (key, call) -> {
          Result result = call.orTimeout(Eventually.TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
          if (result instanceof Result.Refused) {
            refused.add(key);
          }
        });
    return refused;
  }

  private CompletableFuture<Result> run(String key) {
    Policy policy =
        Policy.DEFAULT.with(
            p -> p.lease(LEASE).onBusy(OnBusy.REJECT).onCrash(OnCrash.OUTCOME_UNKNOWN));
    Operation operation = Keys.operation(key, policy);
    return once.runAsync(
            operation,
            execution -> {
              runs.merge(key, 1, Integer::sum);
              return CompletableFuture.completedFuture(Keys.answer(key, 100));
            })
        .toCompletableFuture();
  }

  /** Asks again for those without an answer, until all have one; each of one run. */
  void askUntilAnswered() {
    Eventually.until(
        () -> unanswered.size() + " keys to be answered, such as " + unanswered.get(0),
        () -> {
          List<String> left = new ArrayList<>();
          for (int i = 0; i < unanswered.size(); i += RETRIES_AT_ONCE) {
            int end = Math.min(i + RETRIES_AT_ONCE, unanswered.size());
            left.addAll(refused(unanswered.subList(i, end)));
          }
          unanswered = left;
          return left.isEmpty();
        });
    assertThat(runs).hasSize(KEYS);
    assertThat(runs.values()).containsOnly(1);
  }

  @Override
  public void close() {
    once.close();
    store.close();
  }
}
