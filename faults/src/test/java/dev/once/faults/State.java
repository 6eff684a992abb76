package dev.once.faults;

/**
 * What a key is between two steps.
 *
 * @param fence of its run; if it has none now, of the last one: fences grow
 * @param since when a claim that nobody runs was granted; else 0
 */
record State(Kind kind, long fence, long since) {

  enum Kind {
    FREE,
    /** A handler owns it, or owned it and crashed. */
    TAKEN,
    ANSWERED,
    /** Granted to a claim that nobody runs. */
    ORPHANED
  }

  static final State NEW = new State(Kind.FREE, 0, 0);

  boolean is(Kind other) {
    return kind == other;
  }

  /** Whether this run owns the key, or its answer is there. */
  boolean belongsTo(long run) {
    return fence == run && (kind == Kind.TAKEN || kind == Kind.ANSWERED);
  }

  /** Whether this run was granted, and has nothing here any more: fences grow. */
  boolean isAfter(long run) {
    return fence >= run && !belongsTo(run);
  }

  State taken(long by) {
    return new State(Kind.TAKEN, by, 0);
  }

  State answered() {
    return new State(Kind.ANSWERED, fence, 0);
  }

  State free() {
    return new State(Kind.FREE, fence, 0);
  }

  State orphaned(long at) {
    return new State(Kind.ORPHANED, fence, at);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case FREE -> "free";
      case TAKEN -> "taken by fence " + fence;
      case ANSWERED -> "answered by fence " + fence;
      case ORPHANED -> "granted to nobody";
    };
  }
}
