package dev.once.simulation;

/** What must hold in every run, whatever fails. */
public enum Invariant {
  ONE_LIVE_FENCE("no grant while an unexpired lease lives; fences of an operation grow"),
  ANSWER_KEPT("a recorded answer neither changes nor goes while it is kept"),
  LATE_OWNER("only the highest granted fence records, renews or releases"),
  RUN_BY_RIGHT("each run has a claim of its own, and a further one has a lawful cause"),
  SAME_ANSWER("whoever gets an answer gets the recorded one"),
  MISMATCH("another request with the same key neither runs nor gets the answer"),
  ENDS("without faults every call ends, every key gives a definite result, nothing leaks"),
  ORPHAN_ENDS("a grant that nobody ran has a cause and ends, as long as its claimer lives"),
  FREE_AGAIN("a key refused as store down is free again soon after the store is well"),
  IN_TIME("no call waits longer than its limits"),
  FEW_CALLS(
      "a call asks the store so often and no more; without faults once to begin, once to end"),
  NOTHING_KEPT("nothing is kept of those who waited"),
  CACHE_FOLLOWS(
      "a cache is told what the database said of late, for as long as it holds, and no more"),
  TRUTH("what the engine and the store say is so");

  private final String meaning;

  Invariant(String meaning) {
    this.meaning = meaning;
  }

  public String meaning() {
    return meaning;
  }
}
