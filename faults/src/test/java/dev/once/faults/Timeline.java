package dev.once.faults;

import dev.once.core.Refusal.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Which two calls for one key contradict each other. {@link Linearization} finds more, but cannot
 * say what is wrong in so few words.
 *
 * <p>A call shows that the key had an answer at some moment of its time, or that it had none: it
 * was busy, unknown, or granted anew. If one ended with an answer before the other began to see
 * something else, that answer must have been released or have expired before the other's end; and
 * nobody who began after that sees the answer.
 */
final class Timeline {

  private final List<Call> calls;
  private final List<Call> releases;
  private final String key;
  private final Promises promises;
  private final BiConsumer<Rule, String> violate;

  Timeline(String key, List<Call> calls, Promises promises, BiConsumer<Rule, String> violate) {
    this.key = key;
    this.calls = calls.stream().filter(call -> !call.isRelease()).toList();
    this.releases = calls.stream().filter(Call::isRelease).toList();
    this.promises = promises;
    this.violate = violate;
  }

  void check(Orphans orphans) {
    calls.stream()
        .filter(call -> call.answer() != null)
        .sorted(Comparator.comparingLong(Call::ended))
        .forEach(this::checkAnswerStays);
    calls.stream()
        .filter(call -> call.isRefused(Reason.OUTCOME_UNKNOWN))
        .forEach(refused -> checkUnknown(refused, orphans));
  }

  private void checkAnswerStays(Call given) {
    String answer = given.answer();
    for (Call later : calls) {
      if (later.asked() > given.ended()
          && seesNoneOrOther(later, answer)
          && !mayBeGone(answer, seenUntil(later))
          && !mayBeStale(given, later)) {
        violate.accept(
            broken(given, later),
            answer + " was given, and " + later.start().call() + " " + seen(later));
      }
    }
    for (Call release : releases) {
      if (Keys.fence(answer) == release.start().fence()
          && release.end() != null
          && release.end().text().equals("true")
          && given.asked() > release.ended()) {
        violate.accept(
            Rule.RELEASED_IS_GONE, answer + " was released, and given to " + given.start().call());
      }
    }
    if (given.run() == null
        && given.asked() - promises.staleExpired(key).toNanos() > latestExpiry(answer)) {
      violate.accept(
          Rule.EXPIRED_IS_GONE, answer + " had expired, and was given to " + given.start().call());
    }
  }

  private Rule broken(Call given, Call later) {
    if (later.isRefused(Reason.BUSY)) {
      return Rule.BUSY_ENDS;
    }
    boolean seesReleased =
        later.run() == null
            && later.answer() != null
            && mayBeReleased(later.answer(), given.ended());
    return seesReleased ? Rule.RELEASED_IS_GONE : Rule.ANSWER_STAYS;
  }

  /** Whether it saw what had been before: see {@link Promises}. */
  private boolean mayBeStale(Call given, Call later) {
    if (later.isRefused(Reason.BUSY)) {
      return later.asked() - promises.staleBusy().toNanos() <= given.ended();
    }
    return later.run() == null
        && later.answer() != null
        && later.asked() - promises.staleExpired(key).toNanos() <= given.ended();
  }

  private static boolean seesNoneOrOther(Call call, String answer) {
    return call.run() != null
        || call.isRefused(Reason.BUSY)
        || call.isRefused(Reason.OUTCOME_UNKNOWN)
        || (call.answer() != null && !call.answer().equals(answer));
  }

  /** What a handler shows is shown when it begins. */
  private static long seenUntil(Call call) {
    return call.run() == null ? call.ended() : call.run().nanos();
  }

  private static String seen(Call call) {
    return call.run() != null ? "ran" : call.end().kind() + " " + call.end().text();
  }

  /** Whether the release of this answer may have been done before then. */
  boolean mayBeReleased(String answer, long before) {
    return releases.stream()
        .anyMatch(
            release -> release.start().fence() == Keys.fence(answer) && release.asked() < before);
  }

  /** Whether it may have been released or have expired before then. */
  boolean mayBeGone(String answer, long before) {
    return mayBeReleased(answer, before)
        || (Keys.mayExpire(key)
            && calls.stream()
                .filter(call -> call.run() != null && call.run().text().equals(answer))
                .anyMatch(call -> earliestExpiry(call) < before));
  }

  private long earliestExpiry(Call run) {
    return promises.earliestEnd(run.run().nanos(), Keys.retention(key));
  }

  /** It was recorded before anybody was given it. */
  long latestExpiry(String answer) {
    long recorded =
        calls.stream()
            .filter(call -> answer.equals(call.answer()))
            .mapToLong(Call::ended)
            .min()
            .orElse(Long.MAX_VALUE);
    return promises.latestEnd(recorded, Keys.retention(key));
  }

  int releases() {
    return releases.size();
  }

  /** A run shows when its handler begins; or when its lease ends, if it was paused before that. */
  private boolean mayBeSeen(Call ran, long by) {
    return ran.run().nanos() <= by || promises.earliestEnd(ran.asked(), promises.lease()) <= by;
  }

  private void checkUnknown(Call refused, Orphans orphans) {
    boolean ran =
        calls.stream().anyMatch(call -> call.run() != null && mayBeSeen(call, refused.ended()));
    boolean mayBeOrphan = orphans.leaseEnds(refused.ended(), refused.asked()) <= refused.ended();
    if (!ran && !mayBeOrphan) {
      violate.accept(Rule.UNKNOWN_AFTER_A_RUN, refused.start().call() + " was told so");
    }
  }
}
