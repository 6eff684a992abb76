package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.core.store.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** All that happened, in order. Lines are put into words only when somebody reads them. */
final class History {

  /**
   * @param fence 0 if it does not apply
   * @param outcome the reply, the result, or words; an immutable value
   */
  private record Line(
      long nanos,
      String who,
      String what,
      @Nullable OperationId id,
      long fence,
      Object outcome,
      String fault) {

    String inWords() {
      return String.format(
              Locale.ROOT,
              "%11.6f  %-6s %-9s %-19s %4s  %-40s %s",
              nanos / 1e9,
              who,
              what,
              id == null ? "" : id.masked(),
              fence == 0 ? "" : "#" + fence,
              words(outcome),
              fault)
          .stripTrailing();
    }
  }

  private final EventQueue queue;
  private final List<Line> lines = new ArrayList<>();

  History(EventQueue queue) {
    this.queue = queue;
  }

  int size() {
    return lines.size();
  }

  void add(String who, String what, Object outcome) {
    add(who, what, null, 0, outcome, "");
  }

  void add(String who, String what, OperationId id, long fence, Object outcome) {
    add(who, what, id, fence, outcome, "");
  }

  void add(
      String who, String what, @Nullable OperationId id, long fence, Object outcome, String fault) {
    lines.add(new Line(queue.now(), who, what, id, fence, outcome, fault));
  }

  List<String> inWords() {
    return lines.stream().map(Line::inWords).toList();
  }

  static String words(Object outcome) {
    if (outcome instanceof Claim claim) {
      return words(claim);
    }
    if (outcome instanceof Result.Executed executed) {
      return "executed " + words(executed.answer()) + (executed.recorded() ? "" : ", not recorded");
    }
    if (outcome instanceof Result.Replayed replayed) {
      return "replayed " + words(replayed.answer());
    }
    if (outcome instanceof Result.Refused refused) {
      return "refused " + words(refused.refusal());
    }
    return outcome instanceof Answer answer ? words(answer) : outcome.toString();
  }

  private static String words(Claim claim) {
    if (claim instanceof Claim.Granted granted) {
      return "granted #" + granted.lease().fence() + ", attempt " + granted.lease().attempt();
    }
    if (claim instanceof Claim.Busy busy) {
      return "busy, " + busy.leaseRemaining().toMillis() + " ms left";
    }
    if (claim instanceof Claim.Finished finished) {
      return "finished " + words(finished.answer());
    }
    return "abandoned #" + ((Claim.Abandoned) claim).fence();
  }

  private static String words(Answer answer) {
    return answer.outcome().name().toLowerCase(Locale.ROOT) + " " + answer.code();
  }

  private static String words(Refusal refusal) {
    return refusal.reason().name().toLowerCase(Locale.ROOT);
  }
}
