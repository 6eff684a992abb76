package dev.once.faults;

/** What must hold in every history. */
enum Rule {
  ONE_ANSWER("all clients are given the same answer, and it is the one in the store"),
  FROM_A_RUN("an answer is one that a handler of this operation gave"),
  LAST_OWNER("the recorded answer is that of the highest fence: no late owner recorded"),
  FENCES_GROW("a later grant has a higher fence, and no two grants have the same"),
  UNKNOWN_RUNS_ONCE("with the policy outcome-unknown no handler runs twice"),
  LEASE_RESPECTED("a handler runs again only when the lease of the one before can have ended"),
  DURABLE("an answer that was given is in the store afterwards"),
  ANSWER_STAYS("whoever asks after an answer was given gets the same, unless it was released"),
  BUSY_ENDS(
      "whoever asks after an answer was given is not told that it still runs, unless released"),
  RELEASED_IS_GONE("an answer that a person released is not given afterwards, nor after another"),
  EXPIRED_IS_GONE("an answer is not given after its retention"),
  UNKNOWN_AFTER_A_RUN(
      "an outcome is unknown only if a handler ran, or a claim cannot have been withdrawn yet"),
  NOT_LOCKED(
      "in the end no key is taken by a claim that nobody runs, unless its process was killed"),
  OTHER_REQUEST_REFUSED("another request with the same key neither runs nor gets the answer"),
  PROTECTED("nothing runs without a record"),
  LINEARIZABLE("there is an order of all calls that one key allows"),
  EXPECTED("a client is refused only for a reason that this run can cause");

  private final String sentence;

  Rule(String sentence) {
    this.sentence = sentence;
  }

  @Override
  public String toString() {
    return sentence;
  }
}
