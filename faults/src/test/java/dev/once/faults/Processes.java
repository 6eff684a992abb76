package dev.once.faults;

import dev.once.core.Refusal.Reason;
import dev.once.faults.Event.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * When the engines of a run were well, as far as their clients' events show it: what the checker
 * has to know to tell until when a claim in doubt may hold its key.
 *
 * <p>An engine withdraws such a claim (decision 0019) until the store replies, with pauses of up to
 * 5 seconds, and from then on again and again: a request that arrives late, so much later than the
 * first withdrawal, is withdrawn after about the same time once more. In the runs nothing is held
 * up for longer than its fault lasts. So when an engine was well for {@link #WITHDRAWN_WITHIN}, its
 * claims are withdrawn. It was not well when a client was refused because the store failed, or when
 * it said nothing for a while: then it may have been paused.
 */
final class Processes {

  /** Two tries of a withdrawal: the first may meet a connection that was just cut. */
  static final Duration WITHDRAWN_WITHIN = Duration.ofSeconds(12);

  private static final Duration SILENCE = Duration.ofSeconds(2);

  private static final Set<String> TROUBLE =
      Set.of(Reason.STORE_DOWN.name(), Reason.OVER_QUOTA.name());

  /** Of each process, the times when it was not well, and from when on it was for long enough. */
  private final Map<String, NavigableMap<Long, Long>> unwell = new HashMap<>();

  private final Map<String, Long> lastHeard = new HashMap<>();

  Processes(Collection<Event> events) {
    Map<String, List<Event>> byProcess =
        events.stream().collect(Collectors.groupingBy(Event::process));
    byProcess.forEach(
        (process, itsEvents) -> {
          List<Event> sorted = itsEvents.stream().sorted(Event.BY_TIME).toList();
          unwell.put(process, unwell(sorted));
          lastHeard.put(process, sorted.get(sorted.size() - 1).nanos());
        });
  }

  private static NavigableMap<Long, Long> unwell(List<Event> events) {
    NavigableMap<Long, Long> unwell = new TreeMap<>();
    for (int i = events.size() - 1; i >= 0; i--) {
      if (isTrouble(events.get(i)) || (i > 0 && isSilent(events, i))) {
        long now = events.get(i).nanos();
        Long next = unwell.isEmpty() ? null : unwell.firstKey();
        boolean goesOn = next != null && next - now <= WITHDRAWN_WITHIN.toNanos();
        unwell.put(now, goesOn ? unwell.get(next) : Long.valueOf(now));
      }
    }
    return unwell;
  }

  private static boolean isTrouble(Event event) {
    return event.kind() == Kind.REFUSED && TROUBLE.contains(event.text());
  }

  private static boolean isSilent(List<Event> events, int i) {
    return events.get(i).nanos() - events.get(i - 1).nanos() > SILENCE.toNanos();
  }

  /** When it can last have done anything, if it was killed. */
  long lastHeard(String process) {
    return lastHeard.get(process);
  }

  /** Until when a claim of this process may hold its key that was in doubt then. */
  long withdrawnBy(String process, long inDoubtAt) {
    Long next = unwell.get(process).ceilingKey(inDoubtAt);
    long wellFrom =
        next == null || next - inDoubtAt > WITHDRAWN_WITHIN.toNanos()
            ? inDoubtAt
            : unwell.get(process).get(next);
    long by = wellFrom + WITHDRAWN_WITHIN.toNanos();
    // A process that has ended withdraws nothing. An engine of the test itself is still there.
    return by <= lastHeard(process) || process.startsWith(Run.HERE) ? by : Long.MAX_VALUE;
  }
}
