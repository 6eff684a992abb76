package dev.once.simulation;

/** Says every few seconds how far a long run has come. */
final class Progress {

  private static final double SECONDS_BETWEEN = 5;

  private final long all;
  private final long start = System.nanoTime();
  private double toldAt;
  private long done;

  Progress(long all) {
    this.all = all;
  }

  void done(long count) {
    done = count;
    if (count % 256 == 0 && seconds() - toldAt >= SECONDS_BETWEEN) {
      toldAt = seconds();
      System.out.printf("%s, %.0f s left%n", summary(), (all - done) / rate());
    }
  }

  String summary() {
    return String.format("%,d of %,d seeds, %,.0f a second", done, all, rate());
  }

  private double rate() {
    return done / seconds();
  }

  private double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }
}
