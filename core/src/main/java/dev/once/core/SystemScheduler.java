package dev.once.core;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler of an engine that was given none: one daemon thread, ended by {@link #close}. */
final class SystemScheduler implements Scheduler, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  private final ScheduledThreadPoolExecutor executor;

  SystemScheduler() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "once-timer");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    try {
      Future<?> future =
          executor.schedule(() -> runLogged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      return () -> {};
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Runs what is still to come at once, so that nobody waits for a timer that never fires. */
  @Override
  public void close() {
    executor.shutdownNow().forEach(Runnable::run);
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.error("a timer's task failed", e);
    }
  }
}
