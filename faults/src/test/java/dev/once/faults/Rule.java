package dev.once.faults;

/** What must hold in every history. */
enum Rule {
  ONE_ANSWER("all clients are given the same answer, and it is the one in the store"),
  FROM_A_RUN("an answer is one that a handler of this operation gave"),
  LAST_OWNER("the recorded answer is that of the highest fence: no late owner recorded"),
  FENCES_GROW("a later grant has a higher fence, and no two grants have the same"),
  UNKNOWN_NEVER_AGAIN("with the policy outcome-unknown no handler runs twice"),
  LEASE_RESPECTED("a handler runs again only when the lease of the one before can have ended"),
  DURABLE("an answer that was given is in the store afterwards"),
  ANSWER_STAYS("who asks after an answer was given gets it, unless it was released"),
  BUSY_ENDS("who asks after an answer was given is not told that it still runs, unless released"),
  RELEASED_IS_GONE("an answer that a person released is not given afterwards, nor after another"),
  UNKNOWN_AFTER_A_RUN("an outcome is unknown only if a handler ran, or its process was killed"),
  OTHER_REQUEST_REFUSED("another request with the same key neither runs nor gets the answer"),
  PROTECTED("nothing runs without a record"),
  EXPECTED("a client is refused only for reasons that the run can have");

  private final String sentence;

  Rule(String sentence) {
    this.sentence = sentence;
  }

  @Override
  public String toString() {
    return sentence;
  }
}
