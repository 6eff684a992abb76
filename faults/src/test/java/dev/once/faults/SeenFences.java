package dev.once.faults;

import dev.once.faults.Event.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fences go by a server's clock, for all keys: whoever has seen one is never given a lower one,
 * also if the next server's clock is behind.
 */
final class SeenFences {

  private SeenFences() {}

  /** Runs that were asked for after their process had run something with a higher fence. */
  static List<String> backwards(List<Event> events) {
    List<Event> byTime = new ArrayList<>(events);
    byTime.sort(Comparator.comparingLong(Event::nanos));
    Map<String, Long> seen = new HashMap<>();
    Map<String, Long> tooLow = new HashMap<>();
    List<String> backwards = new ArrayList<>();
    for (Event event : byTime) {
      if (event.kind() == Kind.INVOKED) {
        tooLow.put(event.call(), seen.getOrDefault(event.process(), 0L));
      } else if (event.kind() == Kind.RAN) {
        if (event.fence() <= tooLow.get(event.call())) {
          backwards.add(event.line() + ", after " + tooLow.get(event.call()));
        }
        seen.merge(event.process(), event.fence(), Math::max);
      }
    }
    return backwards;
  }
}
