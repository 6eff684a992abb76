package dev.once.stores.tiered;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time limits of one store: a daemon thread, which ends when the last of them is over. */
final class Timers implements Scheduler, AutoCloseable {

  private final ScheduledThreadPoolExecutor executor;

  Timers() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "once-cache-timer");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    try {
      Future<?> future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      task.run(); // closed: nobody is waited for any longer
      return () -> {};
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
