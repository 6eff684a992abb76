package dev.once.http.servlet;

import org.jspecify.annotations.Nullable;

/**
 * Whether what a response holds is the answer of a listener, which was told of a timeout or an
 * error on its thread, or of the handler, which may still be at work on another one.
 */
final class ListenerAnswer {

  /** The thread that calls the listeners, while it does; null if it does not. */
  private volatile @Nullable Thread listenerThread;

  /** Whether a status or a part of the body was set since listeners were called. */
  private volatile boolean begun;

  /** Whether another thread set a status or a part of the body while listeners were called. */
  private volatile boolean othersAnswered;

  /** Whether a part of the body was written, and not reset. */
  private volatile boolean hasBody;

  /** Whether something is held from before the listeners were called: a part of an answer. */
  private volatile boolean hasEarlierPart;

  /**
   * Listeners are called for a timeout or an error, on this thread: what it sets is their answer.
   *
   * @param committed whether there is a part of an answer already
   */
  void begin(boolean committed) {
    listenerThread = Thread.currentThread();
    begun = false;
    othersAnswered = false;
    hasEarlierPart = committed || hasBody;
  }

  /** All listeners were called. If one of them has asked for a dispatch, that answers for it. */
  void end() {
    listenerThread = null;
  }

  void statusSet() {
    Thread thread = listenerThread;
    if (thread == null || thread == Thread.currentThread()) {
      begun = true;
    } else {
      othersAnswered = true;
    }
  }

  void bodyWritten() {
    hasBody = true;
    statusSet();
  }

  void bodyReset() {
    hasBody = false;
    hasEarlierPart = false;
  }

  /** Whether all that is held was set after the listeners were called, and by them. */
  boolean isWholeAnswer() {
    return begun && !hasEarlierPart && !othersAnswered;
  }
}
