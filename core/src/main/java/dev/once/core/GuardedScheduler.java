package dev.once.core;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler that takes every task. Another one may be shut down while somebody still waits for a
 * store: the JDK's own timer serves them.
 */
record GuardedScheduler(Scheduler scheduler) implements Scheduler {

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    try {
      return scheduler.schedule(delay, task);
    } catch (RuntimeException e) {
      CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
      return () -> {};
    }
  }

  @Override
  public long nanoTime() {
    return scheduler.nanoTime();
  }
}
