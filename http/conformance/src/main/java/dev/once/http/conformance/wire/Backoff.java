package dev.once.http.conformance.wire;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits between repeated questions, longer each time, until a deadline. */
public final class Backoff {

  private static final long LONGEST_MILLIS = 250;

  private final long startedAt = System.nanoTime();
  private final Duration atMost;
  private long millis = 10;

  public Backoff(Duration atMost) {
    this.atMost = atMost;
  }

  /** False, without waiting, once the time is over. */
  public boolean again() {
    if (System.nanoTime() - startedAt > atMost.toNanos() || !sleep(millis)) {
      return false;
    }
    millis = Math.min(2 * millis, LONGEST_MILLIS);
    return true;
  }

  /** False if the thread is interrupted, and stays so. */
  public static boolean sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
