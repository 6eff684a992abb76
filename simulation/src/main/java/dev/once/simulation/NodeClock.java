package dev.once.simulation;

/** A node's clock: it runs too fast or too slow, and jumps. */
final class NodeClock {

  private final EventQueue queue;
  private final double rate;
  private final long wallSkewMillis;
  private long jumps;
  private long setBack;
  private long setAhead;

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

  /** How far it jumped back, all in all: what waits for a time by it waits longer. */
  long setBackNanos() {
    return setBack;
  }

  /** By how much it may measure wrongly what took so long. */
  long slack(long nanos) {
    return setBack + setAhead + (rate == 1 ? 0 : nanos / 10);
  }

  /** The true duration of what is this long by this clock, or a little more: no timer is early. */
  long trueNanos(long nanos) {
    return (long) Math.ceil(nanos / rate) + 1;
  }

  /** Its time of day, which nothing but a mutant reads. */
  long wallMillis() {
    return StoreClock.ORIGIN_MILLIS + wallSkewMillis + nanos() / 1_000_000;
  }

  void jump(long nanos) {
    jumps += nanos;
    setBack += Math.max(-nanos, 0);
    setAhead += Math.max(nanos, 0);
  }
}
