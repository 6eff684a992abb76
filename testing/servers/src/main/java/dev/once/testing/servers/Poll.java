package dev.once.testing.servers;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what a process does in its own time. */
final class Poll {

  /** Far more than anything here needs: a loaded machine is slow, not broken. */
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofMillis(10);

  private Poll() {}

  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("waited " + TIMEOUT + " for " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
