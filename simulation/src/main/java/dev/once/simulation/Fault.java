package dev.once.simulation;

/** What happens to one call on its way to the store and back. */
enum Fault {
  NONE("", true),
  /** The step is taken at once and the stage is complete when it is returned. */
  IMMEDIATE("", true),
  THROWN("call throws, not taken", false),
  /** No connection: the step is not taken, and the caller knows it. */
  REFUSED("refused, not taken", false),
  REQUEST_LOST("request lost, fails", false),
  REQUEST_LOST_SILENTLY("request lost, no reply", false),
  REPLY_LOST("reply lost, fails", false),
  REPLY_LOST_SILENTLY("reply lost, no reply", false),
  REPLY_LATE("reply late", true),
  /** The caller is told of a failure before the step is taken. */
  TAKEN_AFTER_FAILURE("fails first, taken later", false),
  /** Arrives seconds late; the caller gets no reply. */
  DELAYED("delayed for seconds, no reply", false),
  /** A driver that sends again after a reconnect: the step is taken twice. */
  DUPLICATED("arrives twice", true),
  /** The second request of {@link #DUPLICATED}. */
  SECOND_COPY("second copy", false);

  private final String label;
  private final boolean replies;

  Fault(String label, boolean replies) {
    this.label = label;
    this.replies = replies;
  }

  String label() {
    return label;
  }

  /** Whether the caller gets the store's reply, sooner or later. */
  boolean replies() {
    return replies;
  }

  boolean reachesStore() {
    return this != THROWN
        && this != REFUSED
        && this != REQUEST_LOST
        && this != REQUEST_LOST_SILENTLY;
  }
}
