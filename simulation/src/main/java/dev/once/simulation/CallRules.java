package dev.once.simulation;

import static dev.once.simulation.Invariant.FEW_STORE_CALLS;
import static dev.once.simulation.Invariant.IN_TIME;

import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Result;
import java.time.Duration;

/** The limits of a call: how long it takes, and how many store steps it has. */
final class CallRules {

  /** Clocks of nodes are off by a tenth. */
  private static final double SLOWEST_CLOCK = 0.9;

  /** Pauses between two tries, and what was held back by a pause of the node. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  /** At most so many tries, with ever longer pauses, until a recording is given up. */
  private static final int TRIES = 12;

  private final World world;

  CallRules(World world) {
    this.world = world;
  }

  /** The time that a call waited for the engine, without its handler and the node's pauses. */
  void checkDuration(Call call, long toBegin, long toEnd) {
    Policy policy = call.operation().policy();
    Duration ask = world.storeTimeout.plus(PAUSE).multipliedBy(2);
    Duration begin =
        policy.onBusy() == OnBusy.WAIT ? ask.multipliedBy(2).plus(policy.longestWait()) : ask;
    Duration record =
        world.recordTimeout.compareTo(policy.lease()) < 0 ? world.recordTimeout : policy.lease();
    Duration end = record.plus(ask);
    requireWithin(call, "to begin", toBegin, begin);
    requireWithin(call, "to end", toEnd, end);
  }

  private void requireWithin(Call call, String what, long nanos, Duration limit) {
    world.violations.require(
        nanos <= limit.toNanos() / SLOWEST_CLOCK,
        IN_TIME,
        () ->
            call + ": took " + Duration.ofNanos(nanos) + " " + what + " (expected: " + limit + ")");
  }

  /** The engine asks the store for a step of a call. */
  void checkSteps(Call call, Step step) {
    int times = call.countStep(step);
    int most = most(call, step);
    world.violations.require(
        times <= most,
        FEW_STORE_CALLS,
        () -> call.operation().id() + ": " + times + " times " + step);
  }

  private int most(Call call, Step step) {
    Policy policy = call.operation().policy();
    return switch (step) {
      case CLAIM -> policy.onBusy() == OnBusy.WAIT ? 2 * polls(policy) : 2;
      case COMPLETE, RELEASE -> TRIES;
      case WITHDRAW -> 2 * TRIES;
      case CACHE_REPLY, RENEW, PURGE -> Integer.MAX_VALUE;
    };
  }

  /**
   * A waiter asks ever more rarely, at least once in a second, when it is woken, and when the lease
   * that it knows of ends: two thirds of it are left if it has just been renewed.
   */
  private static int polls(Policy policy) {
    Duration wait = policy.longestWait();
    long leases = wait.toMillis() / policy.lease().toMillis();
    return 12 + (int) (4 * wait.toSeconds() + 2 * leases);
  }

  /** A claim was answered by the cache, without the database. */
  void answeredByCache(Call call) {
    call.countStep(Step.CACHE_REPLY);
  }

  /** Without faults: one step to begin, and one to end. */
  void checkStepsWithoutFaults(Call call, Result result) {
    boolean waited = world.resultRules.wasBusy(call);
    if (!call.metFaults() && !waited) {
      int steps =
          call.stepCount(Step.CLAIM)
              + call.stepCount(Step.CACHE_REPLY)
              + call.stepCount(Step.COMPLETE)
              + call.stepCount(Step.RELEASE)
              + call.stepCount(Step.WITHDRAW);
      world.violations.require(
          steps == (call.run() == null ? 1 : 2)
              || (steps == 0 && world.resultRules.isSoonAfterFaults()),
          FEW_STORE_CALLS,
          () -> History.words(result) + " without faults: " + steps + " steps of the store");
    }
  }
}
