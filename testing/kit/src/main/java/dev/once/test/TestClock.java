package dev.once.test;

import dev.once.core.spi.Scheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test lets it pass: the clock of a store, the timers of an engine,
 * and a {@link Clock} for the test's own code. Thread-safe.
 *
 * <p>What falls due runs on the thread that lets time pass, in the order in which it is due.
 */
public final class TestClock extends Clock implements Scheduler {

  /** When every new clock begins. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private record Task(long due, long order, Runnable action) {}

  // All of it is guarded by this.
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
  private long nanos;
  private long passesUntil;
  private long scheduled;

  /** Lets time pass, and runs what falls due on the way. */
  public void passes(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(
          "duration: " + duration + " (expected: >= 0); a store's clock never goes back");
    }
    long end;
    synchronized (this) {
      passesUntil += duration.toNanos();
      end = passesUntil;
    }
    for (Runnable action = due(end); action != null; action = due(end)) {
      action.run();
    }
  }

  /** Lets time pass until this instant, which must not be in the past. */
  public void passesUntil(Instant instant) {
    passes(Duration.between(instant(), instant));
  }

  /** The next task until then, with the time set to its own; null, with the time set to then. */
  private synchronized @Nullable Runnable due(long end) {
    Task next = tasks.peek();
    if (next == null || next.due() > end) {
      nanos = Math.max(nanos, end);
      return null;
    }
    nanos = Math.max(nanos, next.due());
    return tasks.remove().action();
  }

  @Override
  public synchronized Timer schedule(Duration delay, Runnable action) {
    Task task = new Task(nanos + delay.toNanos(), scheduled++, action);
    tasks.add(task);
    return () -> cancel(task);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public Instant instant() {
    return START.plusNanos(nanoTime());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /** The same time, in another zone. */
  @Override
  public Clock withZone(ZoneId zone) {
    TestClock time = this;
    return new Clock() {
      @Override
      public Instant instant() {
        return time.instant();
      }

      @Override
      public ZoneId getZone() {
        return zone;
      }

      @Override
      public Clock withZone(ZoneId other) {
        return time.withZone(other);
      }
    };
  }

  @Override
  public String toString() {
    return "TestClock at " + instant();
  }
}
