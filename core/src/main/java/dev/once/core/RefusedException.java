package dev.once.core;

import org.jspecify.annotations.Nullable;

/**
 * There is no result to give: the operation was refused, or it ran and its result could not be
 * recorded. The refusal says why. Nothing runs twice if you try again with the same key.
 */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;
  private final boolean hasRun;
  private final transient @Nullable Object unrecordedValue;

  /**
   * Refused without a run.
   *
   * @param what was refused, for the message; keys in it are masked
   */
  public RefusedException(String what, Refusal refusal) {
    this(what, refusal, false, null, null);
  }

  /** Refused after a run, whose value could not be recorded. */
  public RefusedException(
      String what, Refusal refusal, @Nullable Object unrecordedValue, @Nullable Throwable cause) {
    this(what, refusal, true, unrecordedValue, cause);
  }

  private RefusedException(
      String what,
      Refusal refusal,
      boolean hasRun,
      @Nullable Object unrecordedValue,
      @Nullable Throwable cause) {
    super(
        "%s: %s, %s (%s)".formatted(what, refusal.reason(), refusal.detail(), refusal.id()), cause);
    this.refusal = refusal;
    this.hasRun = hasRun;
    this.unrecordedValue = unrecordedValue;
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Whether all that it says is "not now": a later call runs, or gets the recorded result. */
  public boolean isNotNow() {
    return !hasRun && refusal.reason().retry() == Refusal.Retry.SAME_KEY;
  }

  /** Whether this call ran the operation; what it gave could not be recorded. */
  public boolean hasRun() {
    return hasRun;
  }

  /**
   * What the operation gave, if {@linkplain #hasRun this call ran it}: a value of your own type
   * from {@link Once#call}, an {@link Answer} from {@link Result#orElseThrow}. For your own use, to
   * look for the effect or to undo it: it is not the operation's result, and a retry may be told
   * something else.
   */
  public @Nullable Object unrecordedValue() {
    return unrecordedValue;
  }
}
