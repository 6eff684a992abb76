package dev.once.core;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.Future;
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
    Future<?> future =
        executor.schedule(() -> runLogged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /** The thread ends when the timers that are set have fired: somebody waits for each of them. */
  @Override
  public void close() {
    executor.shutdown();
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      log.error("a timer's task failed", e);
    }
  }
}
