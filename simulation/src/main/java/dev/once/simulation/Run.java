package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;

/** One run of a handler. Its code is in its answer, so that no two runs answer the same. */
final class Run {

  private final Call call;
  private final int code;
  private final long fence;
  private boolean over;

  /**
   * @param fence 0 if it runs unprotected
   */
  Run(Call call, int code, long fence) {
    this.call = call;
    this.code = code;
    this.fence = fence;
  }

  Call call() {
    return call;
  }

  int code() {
    return code;
  }

  long fence() {
    return fence;
  }

  boolean isProtected() {
    return fence > 0;
  }

  boolean isOver() {
    return over;
  }

  void end() {
    over = true;
  }

  /** Whether its key may be freed: it ended, and not in a way that the policy keeps. */
  boolean mayRelease() {
    return over && !call.plan().isKept(call.operation().policy());
  }

  /** Whether nobody knows that its answer was recorded, or its key freed. */
  boolean isUnrecorded() {
    return call.result() == null
        || (call.result() instanceof Result.Refused refused
            && refused.refusal().reason() == Reason.OUTCOME_UNKNOWN);
  }

  Answer answer() {
    Body body = Body.of("answer of run " + code);
    return switch (call.plan().ending()) {
      case REJECTION -> Answer.rejection(code, body);
      case FAILURE -> Answer.failure(code, body);
      case THROWS_AT_ONCE, THROWS_LATER -> new HandlerException(code).answer();
      default -> Answer.success(code, body);
    };
  }

  @Override
  public String toString() {
    return "run " + code + (isProtected() ? " (#" + fence + ")" : " (unprotected)");
  }
}
