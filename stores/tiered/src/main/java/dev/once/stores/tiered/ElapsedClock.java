package dev.once.stores.tiered;

import dev.once.core.spi.Scheduler;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A scheduler's elapsed time, for a library that wants a clock: no one sets it. */
final class ElapsedClock extends Clock {

  private final Scheduler scheduler;

  ElapsedClock(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(scheduler.nanoTime());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
