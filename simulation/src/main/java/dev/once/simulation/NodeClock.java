package dev.once.simulation;

/** A node's clock: it runs too fast or too slow, and jumps. */
final class NodeClock {

  private final EventQueue queue;
  private final double rate;
  private final long wallSkewMillis;
  private long jumps;

  /**
   * @param rate its seconds in a true second
   * @param wallSkewMillis how far its time of day is off
   */
  NodeClock(EventQueue queue, double rate, long wallSkewMillis) {
    this.queue = queue;
    this.rate = rate;
    this.wallSkewMillis = wallSkewMillis;
  }

  long nanos() {
    return jumps + (long) (queue.now() * rate);
  }

  /** The true duration of what is this long by this clock. */
  long trueNanos(long nanos) {
    return (long) (nanos / rate);
  }

  /** Its time of day, which nothing but a mutant reads. */
  long wallMillis() {
    return StoreClock.ORIGIN_MILLIS + wallSkewMillis + nanos() / 1_000_000;
  }

  void jump(long nanos) {
    jumps += nanos;
  }
}
