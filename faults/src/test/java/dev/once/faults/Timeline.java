package dev.once.faults;

import dev.once.core.Refusal.Reason;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Whether there is an order in which the calls for one key can have taken effect one after another,
 * each at a moment between its start and its end.
 *
 * <p>To look for that order is not needed, because each answer names the run that gave it. A call
 * shows that the key had this answer at some moment of its time, or that it had none: it was busy,
 * unknown, or granted anew. An order exists if no two calls contradict each other: if one ended
 * with an answer before the other began to see something else, there is a release of that answer
 * which began before the other's end; and nobody who began after a release ended sees what was
 * released.
 */
final class Timeline {

  /**
   * How long a claim in doubt may keep others from the key after its client was refused: until the
   * store is back, and the engine withdraws it. Longer than most leases of the runs, which then end
   * meanwhile.
   */
  private static final Duration IN_DOUBT = Duration.ofSeconds(15);

  private final List<Call> calls;
  private final List<Call> releases;
  private final Duration lease;
  private final BiConsumer<Rule, String> violate;

  Timeline(List<Call> calls, Duration lease, BiConsumer<Rule, String> violate) {
    this.calls = calls.stream().filter(call -> !call.isRelease()).toList();
    this.releases = calls.stream().filter(Call::isRelease).toList();
    this.lease = lease;
    this.violate = violate;
  }

  void check() {
    calls.stream()
        .filter(call -> call.answer() != null)
        .sorted(Comparator.comparingLong(Call::ended))
        .forEach(this::checkThatItStays);
    calls.stream()
        .filter(call -> call.isRefused(Reason.OUTCOME_UNKNOWN))
        .forEach(this::checkUnknown);
  }

  private void checkThatItStays(Call given) {
    String answer = given.answer();
    for (Call later : calls) {
      if (later.asked() > given.ended()
          && seesNoneOrOther(later, answer)
          && !mayBeReleased(answer, seenUntil(later))) {
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

  int releases() {
    return releases.size();
  }

  private void checkUnknown(Call refused) {
    boolean known =
        calls.stream()
            .anyMatch(
                call ->
                    (call.run() != null && call.run().nanos() <= refused.ended())
                        || (call.isInDoubt() && mayLookLikeACrash(call, refused)));
    if (!known) {
      violate.accept(Rule.UNKNOWN_AFTER_A_RUN, refused.start().call() + " was told so");
    }
  }

  /** A process that was killed never withdraws its claim. */
  private boolean mayLookLikeACrash(Call inDoubt, Call refused) {
    return refused.ended() - inDoubt.asked() >= lease.toNanos()
        && (inDoubt.end() == null || refused.ended() - inDoubt.ended() <= IN_DOUBT.toNanos());
  }
}
