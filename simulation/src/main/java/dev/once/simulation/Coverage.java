package dev.once.simulation;

import java.util.EnumMap;

/** How often each {@link Happening} happened, in one run or in many. */
public final class Coverage {

  private final EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);

  void saw(Happening happening) {
    counts.merge(happening, 1L, Long::sum);
  }

  public long of(Happening happening) {
    return counts.getOrDefault(happening, 0L);
  }

  public void add(Coverage other) {
    other.counts.forEach((happening, count) -> counts.merge(happening, count, Long::sum));
  }

  public String table() {
    StringBuilder table = new StringBuilder();
    for (Happening happening : Happening.values()) {
      table.append(String.format("  %-40s %,12d%n", happening.meaning(), of(happening)));
    }
    return table.toString();
  }
}
