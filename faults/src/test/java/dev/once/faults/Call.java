package dev.once.faults;

import dev.once.core.Refusal.Reason;
import dev.once.faults.Event.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One call, from its start to its end; or a release by hand.
 *
 * @param run its handler, or null if none of its own ran
 * @param end null if its process was killed
 */
record Call(Event start, Event run, Event end) {

  private static final Set<String> IN_DOUBT =
      Set.of(Reason.STORE_DOWN.name(), Reason.OVER_QUOTA.name());

  /** Of the events of one key, by time. */
  static List<Call> of(List<Event> events) {
    Map<String, Call> calls = new LinkedHashMap<>();
    for (Event event : events) {
      Call known = calls.get(event.call());
      calls.put(
          event.call(),
          switch (event.kind()) {
            case INVOKED, RELEASING -> new Call(event, null, null);
            case RAN -> new Call(known.start, event, known.end);
            default -> new Call(known.start, known.run, event);
          });
    }
    return List.copyOf(calls.values());
  }

  boolean isRelease() {
    return start.kind() == Kind.RELEASING;
  }

  boolean isForOther() {
    return start.text().equals(Event.OTHER);
  }

  long asked() {
    return start.nanos();
  }

  /** When it ended; never, if it is not known to have. */
  long ended() {
    return end == null ? Long.MAX_VALUE : end.nanos();
  }

  boolean isRefused(Reason reason) {
    return end != null && end.kind() == Kind.REFUSED && end.text().equals(reason.name());
  }

  /** Whether its claim may have been granted although it ran nothing. */
  boolean isInDoubt() {
    return run == null && (end == null || IN_DOUBT.contains(end.text()));
  }

  /** The answer that it gave, or null. */
  String answer() {
    return end != null && end.isAnswer() ? end.text() : null;
  }
}
