package dev.once.simulation;

import java.time.Instant;
import java.time.InstantSource;

/** The store's clock, the only one that judges leases: true but for jumps. */
final class StoreClock implements InstantSource {

  static final long ORIGIN_MILLIS = 1_000_000_000_000L;

  private static final long NOT_REPLACED = Long.MIN_VALUE;

  private final EventQueue queue;
  private long jumps;
  private long setBack;
  private long replaced = NOT_REPLACED;

  StoreClock(EventQueue queue) {
    this.queue = queue;
  }

  /** What the invariants are judged by. */
  long trueMillis() {
    return ORIGIN_MILLIS + jumps + queue.now() / 1_000_000;
  }

  /** What no clock jumps in. */
  long trueNanos() {
    return queue.now();
  }

  /** How far it went back, all in all. */
  long setBackMillis() {
    return setBack;
  }

  @Override
  public long millis() {
    return replaced == NOT_REPLACED ? trueMillis() : replaced;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  void jump(long millis) {
    jumps += millis;
    setBack += Math.max(-millis, 0);
  }

  /** For one step of a mutant: the store sees another clock. */
  void replaceBy(long millis) {
    replaced = millis;
  }

  void restore() {
    replaced = NOT_REPLACED;
  }
}
