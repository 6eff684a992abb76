package dev.once.simulation;

import dev.once.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The steps that a store took, and when: to come to the state that it had before. */
final class Journal {

  private record Entry(long nanos, long storeMillis, Function<MemoryStore, ?> step) {}

  private final List<Entry> entries = new ArrayList<>();

  void add(long nanos, long storeMillis, Function<MemoryStore, ?> step) {
    entries.add(new Entry(nanos, storeMillis, step));
  }

  void keepUntil(long nanos) {
    while (!entries.isEmpty() && entries.get(entries.size() - 1).nanos > nanos) {
      entries.remove(entries.size() - 1);
    }
  }

  /** Takes them all once more, each by the clock of its time. */
  void replay(StoreClock clock, MemoryStore store) {
    for (Entry entry : entries) {
      clock.replaceBy(entry.storeMillis);
      Object unused = entry.step.apply(store);
    }
    clock.restore();
  }
}
