package dev.once.faults;

import dev.once.core.Refusal.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The steps that the calls for one key show. A call that ran has two: it was granted before its
 * handler began, and its answer was recorded after that. What a client was not told of may have
 * happened or not, at any later time.
 */
final class Steps {

  private final String key;
  private final Promises promises;
  private final Timeline timeline;
  private final List<Step> steps = new ArrayList<>();

  /** By fence. */
  private final Map<Long, Call> runs = new HashMap<>();

  Steps(String key, Promises promises, Timeline timeline) {
    this.key = key;
    this.promises = promises;
    this.timeline = timeline;
  }

  List<Step> all() {
    return steps;
  }

  /** The call that ran with this fence. */
  Call run(long fence) {
    return runs.get(fence);
  }

  void add(List<Call> calls) {
    for (Call call : calls) {
      if (call.run() != null && !call.isForOther()) {
        runs.put(call.run().fence(), call);
      }
    }
    calls.forEach(this::add);
  }

  private void add(Call call) {
    if (call.isForOther()) {
      if (call.isRefused(Reason.MISMATCH)) {
        saw(Step.Kind.SAW_TAKEN, 0, stale(call), call);
      }
    } else if (call.isRelease()) {
      addRelease(call);
    } else if (call.run() != null) {
      addRun(call);
    } else if (call.answer() != null) {
      addReplay(call);
    } else if (call.isRefused(Reason.BUSY)) {
      saw(Step.Kind.SAW_BUSY, 0, stale(call), call);
    } else if (call.isRefused(Reason.OUTCOME_UNKNOWN)) {
      saw(Step.Kind.SAW_UNKNOWN, 0, call.asked(), call);
    }
  }

  private long stale(Call call) {
    return call.asked() - promises.staleBusy().toNanos();
  }

  private void saw(Step.Kind kind, long fence, long from, Call call) {
    add(kind, fence, from, call.ended(), true, call);
  }

  private void add(Step.Kind kind, long fence, long from, long until, boolean must, Call call) {
    steps.add(new Step(kind, fence, from, until, must, call.start().call()));
  }

  private void addRelease(Call call) {
    long fence = call.start().fence();
    String done = call.end() == null ? "unknown" : call.end().text();
    switch (done) {
      case "true" -> saw(Step.Kind.RELEASE, fence, call.asked(), call);
      case "false" -> saw(Step.Kind.SAW_NOT_OWNER, fence, call.asked(), call);
      default -> add(Step.Kind.RELEASE, fence, call.asked(), Long.MAX_VALUE, false, call);
    }
  }

  private void addRun(Call call) {
    long fence = call.run().fence();
    long ran = call.run().nanos();
    boolean recorded = call.answer() != null;
    add(Step.Kind.GRANT, fence, call.asked(), ran, true, call);
    add(Step.Kind.COMPLETE, fence, ran, recorded ? call.ended() : Long.MAX_VALUE, recorded, call);
    if (call.isRefused(Reason.OWNERSHIP_LOST)) {
      saw(Step.Kind.SAW_NOT_OWNER, fence, ran, call);
    }
  }

  private void addReplay(Call call) {
    long fence = Keys.fence(call.answer());
    long from = call.asked() - promises.staleExpired(key).toNanos();
    boolean mayStay =
        promises.releasedMayStay() && timeline.mayBeReleased(call.answer(), call.ended());
    add(
        Step.Kind.SAW_ANSWER,
        fence,
        mayStay ? Long.MIN_VALUE : from,
        Math.min(call.ended(), timeline.latestExpiry(call.answer())),
        true,
        call);
  }

  /** What there is in the end is one more thing that was seen. */
  void add(FinalState finalState) {
    FinalRecord kept = finalState.of(key);
    Step.Kind kind =
        kept == null
            ? Step.Kind.FOUND_NONE
            : kept.answer() == null ? Step.Kind.FOUND_TAKEN : Step.Kind.FOUND_ANSWER;
    long fence = kept == null ? 0 : kept.fence();
    steps.add(
        new Step(kind, fence, finalState.from(), finalState.until(), true, "the store in the end"));
  }
}
