package dev.once.core;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Is told of everything that happens to operations, by whichever surface they came, for metrics and
 * logs. Called on any thread; never blocks. What it throws is logged, and changes nothing.
 *
 * <p>For each execution that was {@link #begun} there is one call of {@link #ended}, {@link
 * #released} or {@link #abandoned}, before its caller is told.
 */
public interface OnceListener {

  /** Wants to know nothing. */
  OnceListener NONE = new OnceListener() {};

  /** Writes what happens to the log {@code dev.once.operations}, with keys masked. */
  static OnceListener log() {
    return new OperationLog();
  }

  /** All of these, in this order. What one of them throws does not keep the others from hearing. */
  static OnceListener all(List<? extends OnceListener> listeners) {
    return new Listeners(List.copyOf(listeners));
  }

  /** A request was refused for its key, or the lack of one: it did not become an operation. */
  default void turnedAway(Origin origin, Refusal refusal) {}

  /** Somebody was told what to do about an operation: calls one of the next three. */
  default void told(Operation operation, Begun begun) {
    if (begun instanceof Begun.Proceed proceed) {
      begun(proceed.execution());
    } else if (begun instanceof Begun.Replay replay) {
      replayed(operation, replay.answer());
    } else if (begun instanceof Begun.Refuse refuse) {
      refused(operation, refuse.refusal());
    }
  }

  /** It runs. Without protection, if the store was down and the policy said to go on. */
  default void begun(Execution execution) {}

  /** A recorded answer was given. */
  default void replayed(Operation operation, Answer answer) {}

  /** It was refused, and did not run. */
  default void refused(Operation operation, Refusal refusal) {}

  /**
   * It ended with an answer, recorded or not; or with a refusal, if the answer could not be
   * recorded or came too late: another owner had taken over.
   */
  default void ended(Execution execution, Result result) {}

  /** It ended without an answer, and a retry may run. */
  default void released(Execution execution) {}

  /** It ended without an answer, and nobody knows what it did: the crash policy decides. */
  default void abandoned(Execution execution) {}

  /** Its lease was renewed. */
  default void renewed(Execution execution) {}

  /** While it ran, its right to run was found lost. It has still to end. */
  default void lost(Execution execution) {}

  /**
   * A step of the store was asked for.
   *
   * @param failure null if the store replied
   */
  default void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {}

  /** The store in front gave no reply, and the one behind it was asked. */
  default void fellBack() {}

  /** So many expired records were deleted. */
  default void purged(int records) {}

  /** What can be asked of a store. */
  enum StoreStep {
    CLAIM,
    COMPLETE,
    RELEASE,
    WITHDRAW,
    RENEW,
    FIND,
    PURGE
  }
}
