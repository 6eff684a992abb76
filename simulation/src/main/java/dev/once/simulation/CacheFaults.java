package dev.once.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** The network between nodes and cache. */
final class CacheFaults {

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** How late a put can come: longer than any mark is kept. */
  private static final long MAX_DELAY = 75_000 * MILLI;

  private static final List<Fault> ALL =
      List.of(
          Fault.THROWN,
          Fault.REFUSED,
          Fault.REQUEST_LOST,
          Fault.REQUEST_LOST_SILENTLY,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST_SILENTLY,
          Fault.REPLY_LATE,
          Fault.TAKEN_AFTER_FAILURE,
          Fault.DELAYED,
          Fault.DELAYED,
          Fault.DUPLICATED);

  private final SplittableRandom random;
  private final double rate;
  private final double slow;
  private final boolean immediate;
  private boolean healed;

  CacheFaults(SplittableRandom random) {
    this.random = random;
    this.rate = new double[] {0, 0.05, 0.2, 0.5}[random.nextInt(4)];
    this.slow = new double[] {0.01, 0.05, 0.3}[random.nextInt(3)];
    this.immediate = random.nextInt(4) == 0;
  }

  void heal() {
    healed = true;
  }

  Faults.Transfer next() {
    if (healed) {
      return new Faults.Transfer(Fault.NONE, MILLI / 4, MILLI / 4);
    }
    long requestNanos = delay();
    long replyNanos = delay();
    if (random.nextDouble() >= rate) {
      return new Faults.Transfer(
          immediate && random.nextBoolean() ? Fault.IMMEDIATE : Fault.NONE,
          requestNanos,
          replyNanos);
    }
    Fault fault = ALL.get(random.nextInt(ALL.size()));
    return switch (fault) {
      case REPLY_LATE ->
          new Faults.Transfer(fault, requestNanos, random.nextLong(30 * MILLI, 9000 * MILLI));
      case TAKEN_AFTER_FAILURE, DELAYED -> new Faults.Transfer(fault, lateNanos(), replyNanos);
      default -> new Faults.Transfer(fault, requestNanos, replyNanos);
    };
  }

  /** How long after a put its copy arrives. */
  long copyDelay() {
    return lateNanos();
  }

  private long lateNanos() {
    return switch (random.nextInt(3)) {
      case 0 -> random.nextLong(MILLI, 400 * MILLI);
      case 1 -> random.nextLong(400 * MILLI, 12_000 * MILLI);
      default -> random.nextLong(12_000 * MILLI, MAX_DELAY);
    };
  }

  private long delay() {
    return random.nextDouble() < slow
        ? random.nextLong(3 * MILLI, 90 * MILLI)
        : random.nextLong(50 * MICRO, MILLI);
  }
}
