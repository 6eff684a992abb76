package dev.once.http.servlet;

import org.jspecify.annotations.Nullable;

/**
 * Whether what a response holds is the answer of a listener, which was told of a timeout or an
 * error on its thread, or of the handler, which may still be at work on another one.
 */
final class ListenerAnswer {

  /** Whose words are those of a listener, while listeners are told; null if everybody's are. */
  private volatile @Nullable Thread listener;

  /** Whether somebody has given a status, or a part of the body, since listeners were told. */
  private volatile boolean given;

  /** Whether another thread has had its say while they were told. */
  private volatile boolean mixed;

  /** Whether something of a body was written, and not taken back. */
  private volatile boolean written;

  /** Whether what was held when listeners were told is still there: it may be half an answer. */
  private volatile boolean mayBeHalf;

  /**
   * Listeners are told of a timeout or an error on this thread: what it says is their word.
   *
   * @param begun whether there is a part of an answer already
   */
  void begin(boolean begun) {
    listener = Thread.currentThread();
    given = false;
    mixed = false;
    mayBeHalf = begun || written;
  }

  /** They were told: if one of them goes on by a dispatch, that answers for it. */
  void end() {
    listener = null;
  }

  /** Somebody gives a status. */
  void statusGiven() {
    Thread one = listener;
    if (one == null || one == Thread.currentThread()) {
      given = true;
    } else {
      mixed = true;
    }
  }

  /** Somebody writes a part of the body. */
  void bodyWritten() {
    written = true;
    statusGiven();
  }

  /** What was written is taken back. */
  void bodyReset() {
    written = false;
    mayBeHalf = false;
  }

  /** Whether what is held was said after listeners were told, all of it. */
  boolean isWhole() {
    return given && !mayBeHalf && !mixed;
  }
}
