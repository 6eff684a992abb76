package dev.once.faults;

/**
 * What a call shows, or does, at one moment between two times.
 *
 * @param fence of the run that it is about; else 0
 * @param must whether it is known to have happened
 * @param call who says so, for people
 */
record Step(Kind kind, long fence, long from, long until, boolean must, String call) {

  enum Kind {
    GRANT,
    COMPLETE,
    RELEASE,
    SAW_ANSWER,
    SAW_BUSY,
    SAW_UNKNOWN,
    SAW_TAKEN,
    /** Was told that this run does not own the key. */
    SAW_NOT_OWNER,
    /** In the end there is no record. */
    FOUND_NONE,
    /** In the end there is a record without an answer. */
    FOUND_TAKEN,
    FOUND_ANSWER;

    boolean isChange() {
      return this == GRANT || this == COMPLETE || this == RELEASE;
    }
  }

  /** Whether a claim that nobody runs could be what it saw. */
  boolean mayShowOrphan() {
    return switch (kind) {
      case SAW_BUSY, SAW_UNKNOWN, SAW_TAKEN, SAW_NOT_OWNER, FOUND_TAKEN -> true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return kind + (fence == 0 ? "" : " " + fence) + " [" + call + "]";
  }
}
