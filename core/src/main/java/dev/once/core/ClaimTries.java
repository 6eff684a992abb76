package dev.once.core;

import dev.once.core.store.ClaimRequest;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.UnconfirmedException;

/**
 * One claim, over all its tries, and what is known about them. A try is in doubt if it failed and
 * nothing says that the store did not take it, and will not: it may have been granted, or still be.
 *
 * <p>Guarded by {@link Withdrawals}, but for the request and where it says so.
 */
final class ClaimTries {

  final ClaimRequest request;

  /** Below zero if a late reply was heard of before the failure that it settles. */
  private int inDoubt;

  /** Granted by a try that nobody listens to any more, not confirmed, or could not be released. */
  private boolean orphaned;

  /** Whether one of the two was ever set. Guarded by nothing: most claims never are in doubt. */
  private volatile boolean troubled;

  // When to withdraw it; see Withdrawals.
  long due;
  long order;
  boolean over;
  boolean sent;
  boolean settledWhenSent;
  boolean replied;
  boolean withdrawn;
  long repeatUntil;
  long pauseNanos;

  ClaimTries(ClaimRequest request) {
    this.request = request;
  }

  /** Whether a failure tells as much as a reply: it is known what became of the step. */
  static boolean isReply(Throwable failure) {
    return failure instanceof StepNotTakenException || failure instanceof RecordFormatException;
  }

  void failed(Throwable failure) {
    troubled = true;
    if (failure instanceof UnconfirmedException) {
      orphaned = true;
    } else {
      inDoubt++;
    }
  }

  /**
   * The reply to a try that had been counted as failed.
   *
   * @param taken whether it was granted
   */
  void repliedLate(boolean taken) {
    troubled = true;
    inDoubt--;
    orphaned |= taken;
  }

  void orphaned() {
    troubled = true;
    orphaned = true;
  }

  boolean wasTroubled() {
    return troubled;
  }

  /** Whether nothing is under way any more, so that one withdrawal is enough. */
  boolean isSettled() {
    return inDoubt == 0;
  }

  boolean mayBeGranted() {
    return inDoubt != 0 || orphaned;
  }
}
