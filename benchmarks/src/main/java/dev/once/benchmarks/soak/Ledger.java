package dev.once.benchmarks.soak;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the upstream has done: how often for each key, and what it should never have been asked. */
final class Ledger {

  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private final AtomicLong smuggled = new AtomicLong();
  private final AtomicLong poisoned = new AtomicLong();

  /** One more execution for this key; which one it is. */
  int ran(String key) {
    return runs.merge(key, 1, Integer::sum);
  }

  int runs(String key) {
    return runs.getOrDefault(key, 0);
  }

  long keysThatRanTwice() {
    return runs.values().stream().filter(times -> times > 1).count();
  }

  long operations() {
    return runs.size();
  }

  /** A request that was hidden in the body of another. */
  void smuggled() {
    smuggled.incrementAndGet();
  }

  long smuggledRequests() {
    return smuggled.get();
  }

  /** A hostile answer was sent. */
  void poisoned() {
    poisoned.incrementAndGet();
  }

  long hostileAnswers() {
    return poisoned.get();
  }
}
