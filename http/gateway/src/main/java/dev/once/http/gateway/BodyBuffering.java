package dev.once.http.gateway;

import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * How one event loop buffers bodies.
 *
 * @param budget shared by all event loops
 * @param memoryTimeouts for whoever waits for room
 * @param bodyTimeouts for whoever waits for a client's body
 * @param uploads bodies that stream to the upstream, and hold a connection to it for as long as
 *     their clients like: only to three quarters of all
 */
record BodyBuffering(
    HeldBytes budget,
    ClientLimits limits,
    IdleTimeouts memoryTimeouts,
    IdleTimeouts bodyTimeouts,
    UploadSlots uploads) {

  /** Shorter than a client waits, and longer than most bodies are held. */
  private static final Duration MAX_WAIT_FOR_MEMORY = Duration.ofSeconds(2);

  static BodyBuffering create(Vertx vertx, HeldBytes budget, ClientLimits limits, int connections) {
    return new BodyBuffering(
        budget,
        limits,
        new IdleTimeouts(vertx, MAX_WAIT_FOR_MEMORY),
        new IdleTimeouts(vertx, limits.bodyTimeout()),
        new UploadSlots(Math.max(1, connections * 3 / 4)));
  }

  /** For the body of a request. */
  HeldBody newRequestBody() {
    return new HeldBody(budget, HeldBytes.Use.REQUEST);
  }

  /** For the body of an answer. */
  HeldBody newAnswerBody() {
    return new HeldBody(budget, HeldBytes.Use.ANSWER);
  }
}
