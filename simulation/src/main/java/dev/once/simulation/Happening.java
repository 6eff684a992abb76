package dev.once.simulation;

/** A situation that a set of runs must have met at least once; else it has not tested much. */
public enum Happening {
  RUN("handler ran"),
  REPLAY("answer replayed"),
  WAIT_THEN_REPLAY("duplicate waited, then replayed"),
  BUSY("duplicate refused as busy"),
  MISMATCH("other request refused"),
  TAKEOVER("lease taken over"),
  EXPIRY_RECLAIM("claimed again after expiry"),
  OUTCOME_UNKNOWN("crashed operation: outcome unknown"),
  HELD("crashed operation: kept until a person decides"),
  UNRECORDED("ran, could not be recorded"),
  OWNERSHIP_LOST("late owner told that it lost"),
  LOST_SIGNAL("running handler told that its lease is lost"),
  STORE_DOWN("refused, store down"),
  UNPROTECTED("ran unprotected"),
  WITHDRAWN_CLAIM("granted claim withdrawn, never run"),
  WITHDRAWN_TOO_EARLY("claim arrived after a withdrawal"),
  WITHDRAW_REPLY_LOST("reply of a withdrawal lost"),
  RELEASED("released after a run"),
  FORCE_RELEASE("released by a person"),
  LONGEST_RUN_OVER("lease given up after the longest run"),
  LATE_START("handler started after its lease was lost"),
  ORPHANED("outcome unknown, and no handler ran"),
  CLAIM_REPLY_LOST("reply of a granted claim lost"),
  COMPLETE_REPLY_LOST("reply of a recording lost"),
  RENEW_REPLY_LOST("reply of a renewal lost"),
  RELEASE_REPLY_LOST("reply of a release lost"),
  LATE_REPLY("reply came after the time-out"),
  REQUEST_AFTER_FAILURE("request arrived after its caller was told of a failure"),
  DUPLICATED_REQUEST("request arrived twice"),
  REQUEST_SECONDS_LATE("request arrived seconds late"),
  REFUSED_CALL("call refused, not taken"),
  STORE_STOPPED("call met a store that was paused"),
  BURST("more than 100 calls in doubt at once"),
  OVER_QUOTA("refused, store full"),
  UNREADABLE("refused, record cannot be read"),
  STALE_REPLY("claim answered by an old server"),
  GRANT_FORGOTTEN("store lost a grant"),
  ANSWER_FORGOTTEN("store lost an answer"),
  STORE_CLOCK_BACK("store's clock went back"),
  STORE_OUTAGE("call met a store that was down"),
  STORE_CLOCK_JUMP("store's clock jumped"),
  NODE_CLOCK_JUMP("node's clock jumped"),
  CRASH_IN_HANDLER("node crashed while a handler ran"),
  PAUSE_PAST_LEASE("owner paused for longer than its lease"),
  NODE_CLOSED("node closed in order"),
  CACHE_REPLAY("claim answered as finished by the cache"),
  CACHE_BUSY("claim answered as busy by the cache"),
  CACHE_NO_REPLY("cache gave no reply, database asked"),
  CACHE_OUTAGE("step met a cache that was lost"),
  CACHE_CUT_OFF("cache cut off from one node"),
  CACHE_EMPTIED("cache emptied"),
  CACHE_ROLLED_BACK("cache rolled back to old data"),
  CACHE_FULL("full cache refused an answer"),
  CACHE_FULL_TOOK_MARK("full cache took a mark"),
  CACHE_CLOCK_JUMP("cache's clock jumped"),
  CACHE_PUT_LATE("put arrived more than 10 s late"),
  CACHE_RELEASE_KEPT_ANSWER_OUT("released answer kept out by the mark of its release"),
  CACHE_RELEASED_ANSWER("cache replayed a released answer, mark lost"),
  CACHE_BEYOND_EXPIRY("cache replayed an expired answer"),
  CACHE_BUSY_AFTER_END("cache said busy a moment after the end");

  private final String meaning;

  Happening(String meaning) {
    this.meaning = meaning;
  }

  public String meaning() {
    return meaning;
  }
}
