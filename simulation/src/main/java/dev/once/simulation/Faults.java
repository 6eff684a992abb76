package dev.once.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** The network between nodes and store: delays, and faults until it is healed. */
final class Faults {

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** No request arrives later than this. */
  static final Duration MAX_DELAY = Duration.ofSeconds(6);

  private static final List<Fault> ALL =
      List.of(
          Fault.THROWN,
          Fault.REFUSED,
          Fault.REFUSED,
          Fault.REFUSED,
          Fault.REQUEST_LOST,
          Fault.REQUEST_LOST_SILENTLY,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST_SILENTLY,
          Fault.REPLY_LOST_SILENTLY,
          Fault.REPLY_LATE,
          Fault.TAKEN_AFTER_FAILURE,
          Fault.DELAYED,
          Fault.DUPLICATED);

  /**
   * How one request and its reply travel.
   *
   * @param requestNanos nanoseconds until the store takes the step
   * @param replyNanos nanoseconds until the caller knows
   */
  record Transfer(Fault fault, long requestNanos, long replyNanos) {}

  private final SplittableRandom random;
  private final double rate;
  private final double immediate;
  private final double slow;
  private final boolean veryLate;
  private boolean healed;

  /**
   * @param veryLate whether a reply may be a minute late: to an engine it is then as good as lost
   */
  Faults(SplittableRandom random, boolean veryLate) {
    this.random = random;
    this.veryLate = veryLate;
    this.rate = new double[] {0, 0.03, 0.1, 0.25}[random.nextInt(4)];
    this.immediate = random.nextInt(4) == 0 ? 0.5 : 0;
    this.slow = new double[] {0.02, 0.1, 0.5}[random.nextInt(3)];
  }

  void heal() {
    healed = true;
  }

  boolean areHealed() {
    return healed;
  }

  Transfer next() {
    if (healed) {
      return new Transfer(Fault.NONE, MILLI / 2, MILLI / 2);
    }
    long requestNanos = delay();
    long replyNanos = delay();
    if (random.nextDouble() >= rate) {
      boolean atOnce = random.nextDouble() < immediate;
      return new Transfer(atOnce ? Fault.IMMEDIATE : Fault.NONE, requestNanos, replyNanos);
    }
    Fault fault = ALL.get(random.nextInt(ALL.size()));
    return switch (fault) {
      case REPLY_LATE -> new Transfer(fault, requestNanos, lateReplyNanos());
      case TAKEN_AFTER_FAILURE -> new Transfer(fault, replyNanos + lateNanos(), replyNanos);
      case DELAYED -> new Transfer(fault, 500 * MILLI + lateNanos(), replyNanos);
      default -> new Transfer(fault, requestNanos, replyNanos);
    };
  }

  private long lateReplyNanos() {
    return veryLate && random.nextInt(3) == 0
        ? random.nextLong(1_500 * MILLI, 80_000 * MILLI)
        : random.nextLong(100 * MILLI, 1_500 * MILLI);
  }

  /** How late a request arrives whose caller was told of a failure: mostly soon, or seconds. */
  private long lateNanos() {
    return random.nextInt(3) == 0
        ? random.nextLong(400 * MILLI, MAX_DELAY.toNanos())
        : random.nextLong(5 * MILLI, 400 * MILLI);
  }

  /** How long a wake-up takes; negative if it is lost. */
  long wakeUp() {
    return !healed && random.nextInt(4) == 0 ? -1 : delay();
  }

  /** Between the read and the write of a mutant that takes two steps. */
  long betweenReadAndWrite() {
    return random.nextLong(100 * MICRO, 5 * MILLI);
  }

  /** How long after the first copy of a request the second one arrives. */
  long copyDelay() {
    return random.nextLong(100 * MICRO, 300 * MILLI);
  }

  private long delay() {
    return random.nextDouble() < slow
        ? random.nextLong(3 * MILLI, 200 * MILLI)
        : random.nextLong(100 * MICRO, 3 * MILLI);
  }
}
