package dev.once.cli.process;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Waits for what another process brings about: looks again and again, and gives up some day. */
final class Eventually {

  /** Far more than anything here takes: only a test that hangs gets there. */
  static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

  private Eventually() {}

  /** The first value that is as it should be. */
  static <T> T get(String what, Callable<T> look, Predicate<T> good) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      T seen = call(look);
      if (good.test(seen)) {
        return seen;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited in vain for " + what + "; at last it was " + seen);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  static void until(String what, Callable<Boolean> condition) {
    get(what, condition, Boolean::booleanValue);
  }

  private static <T> T call(Callable<T> look) {
    try {
      return look.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
