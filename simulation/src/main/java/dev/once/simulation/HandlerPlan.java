package dev.once.simulation;

import dev.once.core.Policy;
import dev.once.core.Policy.OnEnd;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a handler will do, if it is called.
 *
 * @param nanos how long it takes
 * @param stepwise whether it is run by {@code begin} and {@code complete}, or by {@code runAsync}
 */
record HandlerPlan(Ending ending, long nanos, boolean stepwise) {

  /** How a handler ends. */
  enum Ending {
    SUCCESS,
    REJECTION,
    FAILURE,
    THROWS_AT_ONCE,
    THROWS_LATER,
    NOT_RUN,
    NEVER
  }

  private static final List<Ending> UNUSUAL =
      List.of(
          Ending.REJECTION,
          Ending.REJECTION,
          Ending.FAILURE,
          Ending.FAILURE,
          Ending.THROWS_AT_ONCE,
          Ending.THROWS_LATER,
          Ending.NOT_RUN,
          Ending.NOT_RUN,
          Ending.NEVER);

  static HandlerPlan random(SplittableRandom random, Policy policy) {
    Ending ending =
        random.nextInt(5) < 3 ? Ending.SUCCESS : UNUSUAL.get(random.nextInt(UNUSUAL.size()));
    long lease = policy.lease().toNanos();
    long nanos =
        random.nextInt(3) == 0 ? random.nextLong(lease / 2, 3 * lease) : random.nextLong(lease / 4);
    return new HandlerPlan(ending, nanos, random.nextBoolean());
  }

  static HandlerPlan success(long nanos) {
    return new HandlerPlan(Ending.SUCCESS, nanos, false);
  }

  /** Whether the policy keeps what this ends with. */
  boolean isKept(Policy policy) {
    return switch (ending) {
      case SUCCESS, NEVER -> true;
      case REJECTION -> policy.onRejection() == OnEnd.RECORD;
      case FAILURE, THROWS_AT_ONCE, THROWS_LATER -> policy.onFailure() == OnEnd.RECORD;
      case NOT_RUN -> false;
    };
  }
}
