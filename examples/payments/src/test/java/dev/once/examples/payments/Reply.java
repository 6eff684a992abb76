package dev.once.examples.payments;

/**
 * What a client got.
 *
 * @param marked whether it says that it is a replay
 */
record Reply(int status, String body, String location, String retryAfter, boolean marked) {

  boolean made() {
    return status == 201;
  }

  /** The same answer as one that is given again. */
  Reply replayed() {
    return new Reply(status, body, location, retryAfter, true);
  }
}
