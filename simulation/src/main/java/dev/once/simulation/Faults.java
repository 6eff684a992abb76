package dev.once.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** The network between nodes and store: delays, and faults until it is healed. */
final class Faults {

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** The network keeps nothing for longer. */
  static final Duration LATEST_STRAY = Duration.ofSeconds(6);

  private static final List<Fault> ALL =
      List.of(
          Fault.THROWN,
          Fault.REFUSED,
          Fault.REFUSED,
          Fault.REFUSED,
          Fault.REQUEST_LOST,
          Fault.REQUEST_VANISHED,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST,
          Fault.REPLY_LOST,
          Fault.REPLY_VANISHED,
          Fault.REPLY_VANISHED,
          Fault.REPLY_LATE,
          Fault.STRAY,
          Fault.HELD,
          Fault.DUPLICATED);

  /**
   * One call's way.
   *
   * @param there nanoseconds until the store takes the step
   * @param back nanoseconds until the caller knows
   */
  record Way(Fault fault, long there, long back) {}

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

  Way next() {
    if (healed) {
      return new Way(Fault.NONE, MILLI / 2, MILLI / 2);
    }
    long there = delay();
    long back = delay();
    if (random.nextDouble() >= rate) {
      boolean atOnce = random.nextDouble() < immediate;
      return new Way(atOnce ? Fault.IMMEDIATE : Fault.NONE, there, back);
    }
    Fault fault = ALL.get(random.nextInt(ALL.size()));
    return switch (fault) {
      case REPLY_LATE -> new Way(fault, there, late());
      case STRAY -> new Way(fault, back + stray(), back);
      case HELD -> new Way(fault, 500 * MILLI + stray(), back);
      default -> new Way(fault, there, back);
    };
  }

  private long late() {
    return veryLate && random.nextInt(3) == 0
        ? random.nextLong(1_500 * MILLI, 80_000 * MILLI)
        : random.nextLong(100 * MILLI, 1_500 * MILLI);
  }

  /** How late a request comes whose caller was told of a failure: mostly soon, or seconds. */
  private long stray() {
    return random.nextInt(3) == 0
        ? random.nextLong(400 * MILLI, LATEST_STRAY.toNanos())
        : random.nextLong(5 * MILLI, 400 * MILLI);
  }

  /** How long after a call a wake-up comes; negative if it is lost. */
  long wakeUp() {
    return !healed && random.nextInt(4) == 0 ? -1 : delay();
  }

  /** Between the read and the write of a mutant that takes two steps. */
  long betweenReadAndWrite() {
    return random.nextLong(100 * MICRO, 5 * MILLI);
  }

  /** Where the second copy of a request comes after the first. */
  long copyDelay() {
    return random.nextLong(100 * MICRO, 300 * MILLI);
  }

  private long delay() {
    return random.nextDouble() < slow
        ? random.nextLong(3 * MILLI, 200 * MILLI)
        : random.nextLong(100 * MICRO, 3 * MILLI);
  }
}
