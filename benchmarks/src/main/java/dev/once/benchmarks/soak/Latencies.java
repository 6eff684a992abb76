package dev.once.benchmarks.soak;

/** How long answers took, to the millisecond. Not for several threads. */
final class Latencies {

  private static final int LONGEST_MILLIS = 120_000;

  private final int[] byMillis = new int[LONGEST_MILLIS + 1];
  private long count;

  void add(long nanos) {
    byMillis[(int) Math.min(LONGEST_MILLIS, nanos / 1_000_000)]++;
    count++;
  }

  /** The time within which this part of them came, in milliseconds. */
  int percentile(double percent) {
    long rank = (long) Math.ceil(count * percent / 100);
    long seen = 0;
    for (int millis = 0; millis <= LONGEST_MILLIS; millis++) {
      seen += byMillis[millis];
      if (seen >= rank) {
        return millis;
      }
    }
    return LONGEST_MILLIS;
  }
}
