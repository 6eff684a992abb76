package dev.once.core.spi;

import java.time.Duration;

/**
 * Timers and elapsed time, injected so that a test or a simulation can own them. Never asked for
 * the time of day: only a store's clock decides about leases and expiry.
 */
public interface Scheduler {

  /** Runs the task once, after the delay, on a thread on which it must not block. */
  Timer schedule(Duration delay, Runnable task);

  /** Elapsed time from some origin, as {@link System#nanoTime}. */
  long nanoTime();

  /** A task to come. */
  interface Timer {
    /** Best effort: a task that has begun goes on. */
    void cancel();
  }
}
