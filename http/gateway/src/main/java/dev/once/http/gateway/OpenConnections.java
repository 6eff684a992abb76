package dev.once.http.gateway;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How many connections, or streams of them, are open. Safe for use by all event loops. */
final class OpenConnections {

  private final int limit;
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  OpenConnections(int limit) {
    this.limit = limit;
  }

  /** One more; false if there are too many, and then it does not count. */
  boolean enter() {
    if (open.incrementAndGet() <= limit) {
      return true;
    }
    open.decrementAndGet();
    refused.increment();
    return false;
  }

  void leave() {
    open.decrementAndGet();
  }

  int open() {
    return open.get();
  }

  long refused() {
    return refused.sum();
  }
}
