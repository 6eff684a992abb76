package dev.once.faults;

import dev.once.core.Refusal.Reason;
import dev.once.faults.Event.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Says whether a history fits the promise. It knows nothing of stores and faults: it takes what the
 * clients saw, and what the store has in the end, and looks at each key by itself.
 *
 * <p>A handler writes that it runs some time after it was granted the right to. So of two grants
 * the order is known only if one client began to ask after the other one's handler ran; and a lease
 * began no earlier than its owner asked for it.
 */
final class Checker {

  private static final Set<String> EXPECTED_REFUSALS =
      Set.of(
          Reason.BUSY.name(),
          Reason.STORE_DOWN.name(),
          Reason.OVER_QUOTA.name(),
          Reason.OUTCOME_UNKNOWN.name(),
          Reason.OWNERSHIP_LOST.name());

  private static final Set<String> REFUSALS_OF_OTHERS =
      Set.of(Reason.MISMATCH.name(), Reason.STORE_DOWN.name(), Reason.OVER_QUOTA.name());

  private final History history;
  private final FinalState finalState;
  private final Promises promises;
  private final Processes processes;
  private final List<Violation> violations = new ArrayList<>();

  Checker(History history, FinalState finalState, Promises promises) {
    this.history = history;
    this.finalState = finalState;
    this.promises = promises;
    this.processes = new Processes(history.events());
  }

  List<Violation> violations() {
    violations.clear();
    history.byKey().forEach(this::check);
    return List.copyOf(violations);
  }

  private void check(String key, List<Event> events) {
    List<Call> all = Call.of(events);
    List<Call> calls = all.stream().filter(call -> !call.isForOther()).toList();
    boolean otherRan = all.stream().anyMatch(call -> call.isForOther() && call.run() != null);
    int before = violations.size();
    Timeline timeline =
        new Timeline(key, calls, promises, (rule, detail) -> violate(rule, key, detail));
    Orphans orphans = new Orphans(calls, processes, promises);
    all.stream().filter(Call::isForOther).forEach(this::checkOther);
    Map<String, Event> invoked = new HashMap<>();
    List<Event> runs = new ArrayList<>();
    Set<String> answers = new LinkedHashSet<>();
    for (Call call : calls) {
      if (call.run() != null) {
        invoked.put(call.start().call(), call.start());
        runs.add(call.run());
      }
      if (call.answer() != null) {
        answers.add(call.answer());
      } else if (call.end() != null && !call.isRelease()) {
        checkRefusal(call, otherRan);
      }
    }
    timeline.check(orphans);
    answers.forEach(answer -> checkFromARun(key, answer, all));
    // What was released or has expired may be gone, and another may have come after it.
    answers.removeIf(answer -> timeline.mayBeGone(answer, finalState.until()));
    FinalRecord kept = finalState.of(key);
    checkKept(key, answers, kept);
    checkNotLocked(key, kept, runs, orphans);
    if (kept != null && kept.answer() != null) {
      checkFromARun(key, kept.answer(), all);
      answers.add(kept.answer());
    }
    if (answers.size() > 1) {
      violate(Rule.ONE_ANSWER, key, "seen: " + answers);
    }
    answers.forEach(answer -> checkLastOwner(key, answer, runs));
    checkRuns(key, runs, invoked, timeline);
    if (violations.size() == before && promises.isOrdered()) {
      checkOrder(key, all, timeline, orphans);
    }
  }

  /** The net below the other rules, which say in fewer words what is wrong. */
  private void checkOrder(String key, List<Call> calls, Timeline timeline, Orphans orphans) {
    Steps steps = new Steps(key, promises, timeline);
    steps.add(calls);
    steps.add(finalState);
    new Linearization(key, steps, orphans, promises)
        .contradiction()
        .ifPresent(detail -> violate(Rule.LINEARIZABLE, key, detail));
  }

  private void checkNotLocked(String key, FinalRecord kept, List<Event> runs, Orphans orphans) {
    if (isOrphan(kept, runs) && !orphans.maySee(finalState.until(), finalState.from())) {
      violate(Rule.NOT_LOCKED, key, "kept: " + kept);
    }
  }

  private static boolean isOrphan(FinalRecord kept, List<Event> runs) {
    return kept != null
        && kept.answer() == null
        && runs.stream().noneMatch(run -> run.fence() == kept.fence());
  }

  private void checkOther(Call call) {
    boolean refused =
        call.end() == null
            || (call.end().kind() == Kind.REFUSED
                && REFUSALS_OF_OTHERS.contains(call.end().text()));
    if (call.run() != null || !refused) {
      violate(Rule.OTHER_REQUEST_REFUSED, call.start().key(), "" + call.end());
    }
  }

  private void checkRefusal(Call call, boolean otherRan) {
    Event end = call.end();
    if (end.kind() == Kind.UNRECORDED) {
      violate(Rule.PROTECTED, end.key(), end.text());
    } else if (otherRan && call.isRefused(Reason.MISMATCH)) {
      return; // the key belongs to the other request now, which was found already
    } else if (end.kind() == Kind.FAILED || !EXPECTED_REFUSALS.contains(end.text())) {
      violate(Rule.EXPECTED, end.key(), end.kind() + " " + end.text());
    }
  }

  private void checkKept(String key, Set<String> given, FinalRecord kept) {
    boolean there = kept != null && kept.answer() != null && given.contains(kept.answer());
    if (!given.isEmpty() && !there) {
      violate(Rule.DURABLE, key, "given: " + given + ", kept: " + kept);
    }
    if (kept != null && kept.answer() != null && Keys.fence(kept.answer()) != kept.fence()) {
      violate(Rule.LAST_OWNER, key, "kept under another fence: " + kept);
    }
  }

  private void checkFromARun(String key, String answer, List<Call> calls) {
    if (calls.stream().noneMatch(c -> c.run() != null && c.run().text().equals(answer))) {
      violate(Rule.FROM_A_RUN, key, answer);
    }
  }

  private void checkLastOwner(String key, String answer, List<Event> runs) {
    for (Event run : runs) {
      if (run.fence() > Keys.fence(answer)) {
        violate(Rule.LAST_OWNER, key, answer + ", but fence " + run.fence() + " ran");
      }
    }
  }

  private void checkRuns(
      String key, List<Event> runs, Map<String, Event> invoked, Timeline timeline) {
    if (!Keys.runsAgain(key) && !Keys.mayExpire(key) && runs.size() > 1 + timeline.releases()) {
      violate(Rule.UNKNOWN_RUNS_ONCE, key, "ran " + runs.size() + " times");
    }
    List<Event> byFence = new ArrayList<>(runs);
    byFence.sort(Comparator.comparingLong(Event::fence));
    for (int i = 0; i < byFence.size(); i++) {
      for (Event higher : byFence.subList(i + 1, byFence.size())) {
        checkOrder(byFence.get(i), higher, invoked.get(byFence.get(i).call()).nanos(), timeline);
      }
    }
  }

  private void checkOrder(Event lower, Event higher, long lowerAsked, Timeline timeline) {
    if (lower.fence() == higher.fence() || lowerAsked > higher.nanos()) {
      violate(Rule.FENCES_GROW, lower.key(), "fences " + lower.fence() + " and " + higher.fence());
    }
    Duration between = Duration.ofNanos(higher.nanos() - lowerAsked);
    if (promises.earliestEnd(lowerAsked, promises.lease()) > higher.nanos()
        && !timeline.mayBeGone(lower.text(), higher.nanos())) {
      violate(
          Rule.LEASE_RESPECTED,
          lower.key(),
          "fence %d ran %s after fence %d was asked for"
              .formatted(higher.fence(), between, lower.fence()));
    }
  }

  private void violate(Rule rule, String key, String detail) {
    if (promises.isChecked(rule)) {
      violations.add(new Violation(rule, key, detail));
    }
  }
}
