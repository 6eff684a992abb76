package dev.once.simulation;

import static dev.once.simulation.Invariant.MISMATCH;
import static dev.once.simulation.Invariant.REPLIES_TRUE;
import static dev.once.simulation.Invariant.SAME_ANSWER;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.NotRunException;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.store.Claim;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StoreFullException;
import dev.once.simulation.HandlerPlan.Ending;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What must hold when a call gets its result. */
final class ResultRules {

  private final World world;

  ResultRules(World world) {
    this.world = world;
  }

  void check(Call call, @Nullable Result result, @Nullable Throwable failure) {
    if (result instanceof Result.Executed executed) {
      checkExecuted(call, executed);
    } else if (result instanceof Result.Replayed replayed) {
      checkReplayed(call, replayed.answer());
    } else if (result instanceof Result.Refused refused) {
      checkRefused(call, refused.refusal().reason());
    } else {
      checkThrown(call, failure);
    }
  }

  private void checkExecuted(Call call, Result.Executed executed) {
    Run run = call.run();
    if (run == null || !run.isOver()) {
      world.violations.add(SAME_ANSWER, "executed, and no run of this call has ended");
      return;
    }
    Answer answer = executed.answer();
    world.violations.require(
        answer.equals(run.answer()), SAME_ANSWER, () -> "executed: not the answer of " + run);
    Policy policy = call.operation().policy();
    if (!executed.recorded()) {
      world.violations.require(
          !run.isProtected() || !call.plan().isKept(policy),
          SAME_ANSWER,
          () -> run + ": not recorded, and neither released nor unprotected");
      return;
    }
    Grant grant = world.storeModel.grant(call.operation().id(), run.fence());
    world.violations.require(
        grant != null && isRecorded(grant, answer, policy),
        SAME_ANSWER,
        () -> run + ": said to be recorded, and it is not");
  }

  private static boolean isRecorded(Grant grant, Answer answer, Policy policy) {
    Answer kept = grant.answer == null ? grant.forgottenAnswer : grant.answer;
    return kept != null && isKeptFormOf(kept, answer, policy);
  }

  private static boolean isKeptFormOf(Answer kept, Answer answer, Policy policy) {
    if (policy.keep() == Keep.ANSWER && policy.maxStoredBody() > 0) {
      return kept.equals(answer);
    }
    return kept.outcome() == answer.outcome()
        && kept.code() == answer.code()
        && !(kept.body() instanceof Body.Full);
  }

  private void checkReplayed(Call call, Answer answer) {
    world.coverage.saw(Happening.REPLAY);
    if (call.operation().policy().onBusy() == OnBusy.WAIT
        && gotReply(call, claim -> claim instanceof Claim.Busy)) {
      world.coverage.saw(Happening.WAIT_THEN_REPLAY);
    }
    checkNotRun(call, "replayed");
    Fingerprint asked = call.operation().fingerprint();
    boolean ofOther = false;
    for (Grant grant : world.storeModel.grants(call.operation().id())) {
      if (wasKept(call, answer, grant)) {
        if (grant.request.fingerprint().equals(asked)) {
          return;
        }
        ofOther = true;
      }
    }
    world.violations.add(
        ofOther ? MISMATCH : SAME_ANSWER,
        "replayed "
            + answer.code()
            + (ofOther
                ? ": the answer to another request"
                : ": not an answer that was recorded at that time"));
  }

  /**
   * Whether it was recorded when the call began or later, or an old server or the cache said so.
   */
  private boolean wasKept(Call call, Answer answer, Grant grant) {
    return (answer.equals(grant.answer) && grant.wasKeptSince(call.startLine(), call.startMillis()))
        || answer.equals(grant.forgottenAnswer)
        || (answer.equals(grant.answer) && gotStaleReply(call, answer));
  }

  private void checkRefused(Call call, Reason reason) {
    switch (reason) {
      case MISMATCH -> {
        world.coverage.saw(Happening.MISMATCH);
        checkNotRun(call, "mismatch");
        Fingerprint asked = call.operation().fingerprint();
        requireReply(
            call,
            reason,
            reply -> reply instanceof Claim.Taken taken && !taken.fingerprint().equals(asked));
      }
      case BUSY -> checkBusy(call);
      case STORE_DOWN -> {
        world.coverage.saw(Happening.STORE_DOWN);
        checkNotRun(call, "store down");
        if (!isSoonAfterFaults()) {
          requireFault(call, reason);
        }
      }
      case OUTCOME_UNKNOWN -> checkOutcomeUnknown(call);
      case OWNERSHIP_LOST -> checkOwnershipLost(call);
      case OVER_QUOTA -> {
        world.coverage.saw(Happening.OVER_QUOTA);
        checkNotRun(call, "over quota");
        requireReply(call, reason, reply -> reply instanceof StoreFullException);
      }
      default ->
          world.violations.add(REPLIES_TRUE, "refused as " + reason + ", which nothing causes");
    }
  }

  private void checkBusy(Call call) {
    checkNotRun(call, "busy");
    boolean held = call.operation().policy().onCrash() == OnCrash.HOLD;
    boolean busy = wasBusy(call);
    world.coverage.saw(busy ? Happening.BUSY : Happening.HELD);
    if (!busy) {
      requireReply(call, Reason.BUSY, claim -> held && claim instanceof Claim.Abandoned);
    }
  }

  boolean wasBusy(Call call) {
    return gotReply(call, reply -> reply instanceof Claim.Busy || isOwn(call, reply));
  }

  /** Abandoned by the store's clock, which was set; the process that was asked has the lease. */
  private boolean isOwn(Call call, Object reply) {
    Grant grant =
        reply instanceof Claim.Abandoned abandoned
            ? world.storeModel.grant(call.operation().id(), abandoned.fence().value())
            : null;
    return grant != null && grant.claimer.caller() == call.process();
  }

  private void checkOutcomeUnknown(Call call) {
    if (call.run() != null) {
      world.coverage.saw(Happening.UNRECORDED);
      requireFault(call, Reason.OUTCOME_UNKNOWN);
    } else {
      if (gotReply(call, reply -> reply instanceof RecordFormatException)) {
        world.coverage.saw(Happening.UNREADABLE);
        return;
      }
      Grant current = world.storeModel.current(call.operation().id());
      boolean orphaned = current != null && current.run == null;
      world.coverage.saw(orphaned ? Happening.ORPHANED : Happening.OUTCOME_UNKNOWN);
      requireReply(call, Reason.OUTCOME_UNKNOWN, claim -> claim instanceof Claim.Abandoned);
    }
  }

  private void checkOwnershipLost(Call call) {
    world.coverage.saw(Happening.OWNERSHIP_LOST);
    Run run = call.run();
    OperationId id = call.operation().id();
    world.violations.require(
        run != null
            && run.isProtected()
            && (!world.storeModel.owns(id, run.fence()) || call.storeClockWentBack()),
        REPLIES_TRUE,
        () -> "ownership lost: " + run + " owns");
  }

  private void checkThrown(Call call, @Nullable Throwable failure) {
    Run run = call.run();
    Ending ending = call.plan().ending();
    boolean expected =
        failure instanceof HandlerException thrown
            ? run != null && thrown.answer().code() == run.code()
            : failure instanceof NotRunException
                ? run != null && ending == Ending.NOT_RUN
                : failure instanceof IllegalStateException && call.process().isClosed();
    world.violations.require(expected, REPLIES_TRUE, () -> "the call failed with " + failure);
  }

  /** A store that had no room is looked at again after a second; the look has two steps. */
  boolean isSoonAfterFaults() {
    Duration limit = Duration.ofSeconds(1).plus(world.storeTimeout.multipliedBy(2));
    return world.queue.now() - world.healedAt <= limit.multipliedBy(2).toNanos();
  }

  /** The engine says that the store failed: then something must have failed. */
  private void requireFault(Call call, Reason reason) {
    world.violations.require(
        call.metFaults(), REPLIES_TRUE, () -> reason + ": nothing failed since the call began");
  }

  private void checkNotRun(Call call, String said) {
    world.violations.require(
        call.run() == null, REPLIES_TRUE, () -> said + ", and " + call.run() + " ran");
  }

  private void requireReply(Call call, Reason reason, Predicate<Object> expected) {
    world.violations.require(
        gotReply(call, expected),
        REPLIES_TRUE,
        () -> reason + ": the store did not say so during the call");
  }

  /** Whether the store gave such a reply to this node since the call began. */
  boolean gotReply(Call call, Predicate<Object> expected) {
    return anyReply(call, given -> expected.test(given.reply()));
  }

  private boolean gotStaleReply(Call call, Answer answer) {
    return anyReply(
        call,
        given ->
            given.stale()
                && given.reply() instanceof Claim.Finished finished
                && finished.answer().equals(answer));
  }

  private boolean anyReply(Call call, Predicate<StoreModel.StoreReply> expected) {
    List<StoreModel.StoreReply> replies = world.storeModel.replies(call.operation().id());
    for (int i = replies.size() - 1; i >= 0 && replies.get(i).line() > call.startLine(); i--) {
      if (replies.get(i).node() == call.process().node().number && expected.test(replies.get(i))) {
        return true;
      }
    }
    return false;
  }
}
