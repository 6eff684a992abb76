package dev.once.core;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Observes what happens to operations on every surface, for metrics and logs. It is called on any
 * thread and must not block. An exception that it throws is logged and changes nothing.
 *
 * <p>For each execution that was {@link #begun} there is one call of {@link #ended}, {@link
 * #released} or {@link #abandoned}, before its caller is told.
 */
public interface OnceListener {

  /** Ignores everything. */
  OnceListener NONE = new OnceListener() {};

  /** Writes what happens to the log {@code dev.once.operations}, with keys masked. */
  static OnceListener log() {
    return new OperationLog();
  }

  /** Calls all of these, in this order. An exception of one of them does not stop the others. */
  static OnceListener all(List<? extends OnceListener> listeners) {
    return new Listeners(List.copyOf(listeners));
  }

  /** A request was refused because its key was missing or malformed, so there is no operation. */
  default void requestRefused(Origin origin, Refusal refusal) {}

  /**
   * It was decided what to do about an operation. By default this calls one of the next three
   * methods.
   */
  default void decided(Operation operation, Begun begun) {
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

  /** The execution lost its lease while it ran. It has not ended yet. */
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
