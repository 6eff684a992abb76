package dev.once.core;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when a test says so: a scheduler for engines, and a clock for a store. */
final class VirtualTime implements Scheduler, InstantSource {

  private record Task(long due, long order, Runnable action) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
  private long nanos;
  private long scheduled;
  private Duration ahead = Duration.ZERO;

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    Task task = new Task(nanos + delay.toNanos(), scheduled++, action);
    tasks.add(task);
    return () -> tasks.remove(task);
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nanos).plus(ahead);
  }

  /** Lets time pass, and runs what falls due on the way. */
  void passes(Duration duration) {
    long end = nanos + duration.toNanos();
    while (!tasks.isEmpty() && tasks.peek().due() <= end) {
      Task next = tasks.remove();
      nanos = Math.max(nanos, next.due());
      next.action().run();
    }
    nanos = end;
  }

  /** The clock of the store is set: no time passes. */
  void jumps(Duration forward) {
    ahead = ahead.plus(forward);
  }

  int pendingTimers() {
    return tasks.size();
  }
}
