package dev.once.simulation;

import static dev.once.simulation.Invariant.CALLS_END;
import static dev.once.simulation.Invariant.MISMATCH;
import static dev.once.simulation.Invariant.REPLIES_TRUE;
import static dev.once.simulation.Invariant.RUN_HAS_CLAIM;

import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnStoreDown;
import dev.once.core.store.Lease;
import java.util.function.Supplier;

/** What must hold when a handler starts, and while it runs. */
final class RunRules {

  private final World world;
  private int runs;

  RunRules(World world) {
    this.world = world;
  }

  Run start(Call call, Execution execution) {
    OperationId id = call.operation().id();
    long fence = execution.fence().map(Fence::value).orElse(0L);
    Run run = new Run(call, 1000 + runs++, fence);
    world.history.add(call.process().who(), "run", id, fence, run);
    world.coverage.saw(Happening.RUN);
    require(call.run() == null, () -> run + ": the second in one call");
    require(!call.isOver(), () -> run + ": its call had its result before");
    if (run.isProtected()) {
      checkProtected(run);
    } else {
      world.coverage.saw(Happening.UNPROTECTED);
      require(
          call.operation().policy().onStoreDown() == OnStoreDown.GO_ON,
          () -> run + ": unprotected, and the policy is not to go on");
    }
    return run;
  }

  private void checkProtected(Run run) {
    OperationId id = run.call().operation().id();
    Grant grant = world.storeModel.grant(id, run.fence());
    if (grant == null) {
      world.violations.add(RUN_HAS_CLAIM, run + ": never granted");
      return;
    }
    require(grant.run == null, () -> run + ": its fence ran before, as " + grant.run);
    require(
        grant.end != Grant.End.RELEASED && grant.end != Grant.End.WITHDRAWN,
        () -> run + ": its claim was released or withdrawn before");
    world.violations.require(
        grant.request.fingerprint().equals(run.call().operation().fingerprint()),
        MISMATCH,
        () -> run + ": granted for another request");
    grant.run = run;
    if (grant.end != null) {
      world.coverage.saw(Happening.LATE_START);
    }
    for (Grant earlier : world.storeModel.grants(id)) {
      if (earlier.fence < run.fence() && earlier.run != null) {
        checkFurtherRun(run, earlier, earlier.run);
      }
    }
  }

  /** A further run is allowed only if the record of the earlier one ended in certain ways. */
  private void checkFurtherRun(Run run, Grant earlier, Run before) {
    Policy policy = run.call().operation().policy();
    Grant.End end = earlier.end;
    boolean allowed =
        end == Grant.End.FORCED
            || end == Grant.End.FORGOTTEN
            || earlier.revived
            || earlier.forgottenAnswer != null
            || end == Grant.End.EXPIRED
            || ((end == Grant.End.RELEASED || end == Grant.End.WITHDRAWN) && before.mayRelease())
            || (end == Grant.End.TAKEN_OVER
                && policy.onCrash() == OnCrash.RUN_AGAIN
                && earlier.answer == null);
    require(allowed, () -> run + ": after " + before + ", whose grant ended as " + end);
  }

  /**
   * The engine is about to renew a lease: only of what has not ended, or is still to be recorded
   * although its caller did not wait for that.
   */
  void renewing(Lease lease) {
    Grant grant = world.storeModel.grant(lease.id(), lease.fence().value());
    Run run = grant == null ? null : grant.run;
    world.violations.require(
        run == null || !run.call().isOver() || run.call().mayBeRecordedLater(),
        CALLS_END,
        () -> run + ": renewed after its end");
  }

  /** The engine says that this run has lost its right. */
  void lost(Run run) {
    if (!run.isOver()) {
      OperationId id = run.call().operation().id();
      world.coverage.saw(Happening.LOST_SIGNAL);
      world.history.add(run.call().process().who(), "lost", id, run.fence(), run);
      world.violations.require(
          !world.storeModel.owns(id, run.fence()) || run.call().storeClockWentBack(),
          REPLIES_TRUE,
          () -> run + ": told that it lost, and it owns");
    }
  }

  private void require(boolean holds, Supplier<String> otherwise) {
    world.violations.require(holds, RUN_HAS_CLAIM, otherwise);
  }
}
