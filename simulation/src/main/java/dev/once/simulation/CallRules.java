package dev.once.simulation;

import static dev.once.simulation.Invariant.FEW_CALLS;
import static dev.once.simulation.Invariant.IN_TIME;

import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Result;
import java.time.Duration;

/** What a call may cost: how long it takes, and how often it asks the store. */
final class CallRules {

  /** Clocks of nodes are off by a tenth. */
  private static final double SLOWEST_CLOCK = 0.9;

  /** Pauses between two tries, and what was held back by a pause of the node. */
  private static final Duration BETWEEN = Duration.ofMillis(50);

  /** For as long as it takes to try again ever more rarely until a recording is given up. */
  private static final int TRIES = 12;

  private final World world;

  CallRules(World world) {
    this.world = world;
  }

  /** The time that a call waited for the engine, without its handler and the node's pauses. */
  void took(Call call, long toBegin, long toEnd) {
    Policy policy = call.operation().policy();
    Duration ask = world.storeTimeout.plus(BETWEEN).multipliedBy(2);
    Duration begin =
        policy.onBusy() == OnBusy.WAIT ? ask.multipliedBy(2).plus(policy.longestWait()) : ask;
    Duration record =
        world.recordTimeout.compareTo(policy.lease()) < 0 ? world.recordTimeout : policy.lease();
    Duration end = record.plus(ask);
    within(call, "to begin", toBegin, begin);
    within(call, "to end", toEnd, end);
  }

  private void within(Call call, String what, long nanos, Duration limit) {
    world.violations.require(
        nanos <= limit.toNanos() / SLOWEST_CLOCK,
        IN_TIME,
        () ->
            call + ": took " + Duration.ofNanos(nanos) + " " + what + " (expected: " + limit + ")");
  }

  /** The engine asks the store for something on behalf of a call. */
  void asked(Call call, Step step) {
    int times = call.asked(step);
    int most = most(call, step);
    world.violations.require(
        times <= most, FEW_CALLS, () -> call.operation().id() + ": " + times + " times " + step);
  }

  private int most(Call call, Step step) {
    Policy policy = call.operation().policy();
    return switch (step) {
      case CLAIM -> policy.onBusy() == OnBusy.WAIT ? 2 * polls(policy) : 2;
      case COMPLETE, RELEASE -> TRIES;
      case WITHDRAW -> 2 * TRIES;
      case LOOK, RENEW, PURGE -> Integer.MAX_VALUE;
    };
  }

  /**
   * A waiter asks ever more rarely, at least once in a second, when it is woken, and when the lease
   * that it was told of is over: two thirds of it are left if it has just been renewed.
   */
  private static int polls(Policy policy) {
    Duration wait = policy.longestWait();
    long leases = wait.toMillis() / policy.lease().toMillis();
    return 12 + (int) (4 * wait.toSeconds() + 2 * leases);
  }

  /** A claim was answered by the cache, without the database. */
  void saidByCache(Call call) {
    call.asked(Step.LOOK);
  }

  /** Without faults: one step to begin, and one to end. */
  void ended(Call call, Result result) {
    boolean waited = world.resultRules.wasToldBusy(call);
    if (!call.metFaults() && !waited) {
      int steps =
          call.timesAsked(Step.CLAIM)
              + call.timesAsked(Step.LOOK)
              + call.timesAsked(Step.COMPLETE)
              + call.timesAsked(Step.RELEASE)
              + call.timesAsked(Step.WITHDRAW);
      world.violations.require(
          steps == (call.run() == null ? 1 : 2)
              || (steps == 0 && world.resultRules.isSoonAfterFaults()),
          FEW_CALLS,
          () -> History.words(result) + " without faults: " + steps + " steps of the store");
    }
  }
}
