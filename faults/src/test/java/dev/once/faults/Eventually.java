package dev.once.faults;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Waits until a condition holds; gives up after a long time. */
final class Eventually {

  /** Far more than anything here takes: only a run that hangs gets there. */
  static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

  private Eventually() {}

  static void until(Supplier<String> what, BooleanSupplier condition) {
    until(what, condition, () -> 0);
  }

  /** Does not give up as long as there is progress: a number that changes. */
  static void until(Supplier<String> what, BooleanSupplier condition, LongSupplier progress) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    long before = progress.getAsLong();
    while (!condition.getAsBoolean()) {
      long now = progress.getAsLong();
      if (now != before) {
        before = now;
        deadline = System.nanoTime() + TIMEOUT.toNanos();
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited in vain for " + what.get());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Waits for a time, where time itself is part of the fault. */
  static void letTimePass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
