package dev.once.http.gateway;

import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * How one event loop holds bodies.
 *
 * @param budget shared by all event loops
 * @param room for whoever waits for room
 * @param bodies for whoever waits for a client's body
 * @param uploads bodies that stream to the upstream, and hold a connection to it for as long as
 *     their clients like: only to three quarters of all
 */
record Holding(
    HeldBytes budget, ClientLimits limits, Patience room, Patience bodies, UploadSlots uploads) {

  /** Shorter than a client waits, and longer than most bodies are held. */
  private static final Duration LONGEST_WAIT_FOR_ROOM = Duration.ofSeconds(2);

  static Holding on(Vertx vertx, HeldBytes budget, ClientLimits limits, int connections) {
    return new Holding(
        budget,
        limits,
        new Patience(vertx, LONGEST_WAIT_FOR_ROOM),
        new Patience(vertx, limits.bodyTimeout()),
        new UploadSlots(Math.max(1, connections * 3 / 4)));
  }

  /** For the body of a request. */
  HeldBody request() {
    return new HeldBody(budget, HeldBytes.Use.REQUEST);
  }

  /** For the body of an answer. */
  HeldBody answer() {
    return new HeldBody(budget, HeldBytes.Use.ANSWER);
  }
}
