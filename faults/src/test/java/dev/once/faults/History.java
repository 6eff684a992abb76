package dev.once.faults;

import dev.once.core.Refusal.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What all clients and handlers of a run saw. Thread-safe. */
final class History implements Consumer<Event> {

  /** What clients are refused for when the store fails, and only then. */
  private static final Set<String> TROUBLE =
      Set.of(Reason.STORE_DOWN.name(), Reason.OVER_QUOTA.name(), Reason.OUTCOME_UNKNOWN.name());

  private final Collection<Event> events = new ConcurrentLinkedQueue<>();
  private final Map<String, String> texts = new ConcurrentHashMap<>();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong storeRefusals = new AtomicLong();
  private final AtomicInteger last = new AtomicInteger();
  private volatile Event failure;
  private final Map<String, Map<String, String>> running = new ConcurrentHashMap<>();

  @Override
  public void accept(Event told) {
    Event event = told.sharing(this::shared);
    if (event.isEnd()) {
      texts.remove(event.call()); // nobody says this name again
    }
    events.add(event);
    last.accumulateAndGet(Keys.number(event.key()), Math::max);
    if (event.kind() == Event.Kind.RAN) {
      running(event.process()).put(event.call(), event.key());
    } else {
      running(event.process()).remove(event.call());
    }
    if (event.kind() == Event.Kind.FAILED) {
      failure = event;
    }
    if (event.isAnswer()) {
      answers.incrementAndGet();
    } else if (TROUBLE.contains(event.text())) {
      storeRefusals.incrementAndGet();
    }
  }

  /** An hour has millions of events, and they have few different texts. */
  private String shared(String text) {
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  private Map<String, String> running(String process) {
    return running.computeIfAbsent(process, any -> new ConcurrentHashMap<>());
  }

  /** Whether a handler of a process runs that takes longer than its lease. */
  boolean hasSlowInFlight(String process) {
    return running(process).values().stream().anyMatch(Keys::isSlow);
  }

  /** How many handlers of a process have begun, of calls that have not ended. */
  int inFlight(String process) {
    return running(process).size();
  }

  /** A client that was given an exception, and gave up; null if there is none. */
  Event failure() {
    return failure;
  }

  /** What a process has said last. */
  String lastOf(String process) {
    return events.stream()
        .filter(event -> event.process().equals(process))
        .reduce((one, other) -> other)
        .map(event -> (System.nanoTime() - event.nanos()) / 1_000_000 + " ms ago: " + event.line())
        .orElse("nothing");
  }

  /** The highest number of all keys, so far. */
  int last() {
    return last.get();
  }

  /** How many answers were given, so far. */
  long answers() {
    return answers.get();
  }

  /** How many calls were refused because of a fault, so far. */
  long storeRefusals() {
    return storeRefusals.get();
  }

  /** The events of each key, by time. */
  Map<String, List<Event>> byKey() {
    return events.stream()
        .sorted(Event.BY_TIME)
        .collect(Collectors.groupingBy(Event::key, TreeMap::new, Collectors.toList()));
  }

  /** When the last one was seen. */
  long end() {
    return events.stream().mapToLong(Event::nanos).max().orElse(0);
  }

  Collection<Event> events() {
    return events;
  }

  long count(Event.Kind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  /** How many handlers ran again. */
  long runsAgain() {
    return count(Event.Kind.RAN) - byKey().values().stream().filter(History::ran).count();
  }

  /** How many ran again that were neither released nor expired, or ran and got no answer. */
  long orphans() {
    return byKey().values().stream()
        .filter(events -> !Keys.isReleased(events.get(0).key()))
        .filter(events -> !Keys.mayExpire(events.get(0).key()))
        .filter(History::ran)
        .filter(
            events ->
                events.stream().filter(event -> event.kind() == Event.Kind.RAN).count() > 1
                    || events.stream().noneMatch(Event::isAnswer))
        .count();
  }

  /** The keys with claims that may have been granted for nobody, all by engines of this process. */
  Set<String> inDoubtOnlyHere() {
    Set<String> keys = new HashSet<>();
    byKey()
        .forEach(
            (key, ofKey) -> {
              List<Call> inDoubt = Call.of(ofKey).stream().filter(Call::isInDoubt).toList();
              if (!inDoubt.isEmpty()
                  && inDoubt.stream().allMatch(c -> c.start().process().startsWith(Run.HERE))) {
                keys.add(key);
              }
            });
    return keys;
  }

  /** Whether a handler ran with this fence. */
  boolean ran(String key, long fence) {
    return events.stream()
        .anyMatch(
            event ->
                event.kind() == Event.Kind.RAN
                    && event.fence() == fence
                    && event.key().equals(key));
  }

  private static boolean ran(List<Event> ofKey) {
    return ofKey.stream().anyMatch(event -> event.kind() == Event.Kind.RAN);
  }

  /**
   * The events of a key for people, in milliseconds from the first one; calls that found it busy
   * are left out.
   */
  String of(String key) {
    List<Event> all = new ArrayList<>(byKey().getOrDefault(key, List.of()));
    Set<String> busy =
        all.stream()
            .filter(event -> event.text().equals(Reason.BUSY.name()))
            .map(Event::call)
            .collect(Collectors.toSet());
    all.removeIf(event -> busy.contains(event.call()));
    List<String> lines = new ArrayList<>();
    for (Event event : all) {
      double millis = (event.nanos() - all.get(0).nanos()) / 1e6;
      lines.add(
          "%10.1f ms  %-10s %-10s fence %d  %s  [%s]"
              .formatted(
                  millis,
                  event.process(),
                  event.kind(),
                  event.fence(),
                  event.text(),
                  event.call()));
    }
    return String.join("\n", lines);
  }
}
