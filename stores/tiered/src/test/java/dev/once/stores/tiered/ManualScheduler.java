package dev.once.stores.tiered;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that stands still until it is told to go on. */
final class ManualScheduler implements Scheduler, InstantSource {

  private record Due(long at, Runnable task) {}

  private final Instant origin = Instant.parse("2026-01-01T00:00:00Z");
  private final List<Due> due = new ArrayList<>();
  private long now;

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    Due timer = new Due(now + delay.toNanos(), task);
    due.add(timer);
    return () -> due.remove(timer);
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public Instant instant() {
    return origin.plusNanos(now);
  }

  void advance(Duration duration) {
    long end = now + duration.toNanos();
    while (true) {
      Due next = due.stream().min(Comparator.comparingLong(Due::at)).orElse(null);
      if (next == null || next.at > end) {
        break;
      }
      due.remove(next);
      now = Math.max(now, next.at);
      next.task.run();
    }
    now = end;
  }
}
