package dev.once.stores.tiered;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Looks again and again until it is so. */
final class Await {

  private static final Duration LONGEST = Duration.ofMinutes(5);

  private Await() {}

  static void until(String what, BooleanSupplier isSo) {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + LONGEST + " for " + what);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }
}
