package dev.once.simulation;

/** What must hold in every run, whatever fails. */
public enum Invariant {
  ONE_LIVE_FENCE(
      "nothing is granted while another lease of the operation is live; its fences grow"),
  ANSWER_KEPT("a recorded answer neither changes nor disappears before it expires"),
  LATE_OWNER("only the owner with the highest fence can record, renew or release"),
  RUN_HAS_CLAIM(
      "each run has a granted claim of its own; a further run only after a release, an expiry or an"
          + " allowed takeover"),
  SAME_ANSWER("every client that gets an answer gets the recorded one"),
  MISMATCH("another request with the same key neither runs nor gets the answer"),
  CALLS_END("without faults every call ends, every key gives a definite result, nothing leaks"),
  ORPHAN_WITHDRAWN("a granted claim that nobody runs is withdrawn, while its process lives"),
  KEY_FREED("a key refused as store down is free again soon after the store is back"),
  IN_TIME("no call waits longer than its time limits"),
  FEW_STORE_CALLS(
      "the number of store calls of a call is bounded; without faults one to begin, one to end"),
  WAITERS_FORGOTTEN("nothing is kept of duplicates that have stopped waiting"),
  CACHE_PUTS_CORRECT(
      "the cache is given recorded answers only, soon after the database has replied, and for no"
          + " longer than they are kept; and every release by a person"),
  REPLIES_TRUE("what the engine, the store and the cache reply is true");

  private final String meaning;

  Invariant(String meaning) {
    this.meaning = meaning;
  }

  public String meaning() {
    return meaning;
  }
}
