package dev.once.http.gateway;

import dev.once.http.gateway.IdleTimeouts.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Requires a minimum rate of a body that streams: a client that sends a byte now and then would
 * hold a connection to the upstream for ever. Time in which the receiver does not read does not
 * count.
 */
final class MinimumRate {

  private final IdleTimeouts timeouts;
  private final long minBytes;
  private final Runnable onTooSlow;
  private @Nullable Timeout timeout;
  private long received;
  private boolean stopped;

  /**
   * @param minBytes bytes within the timeout
   */
  MinimumRate(IdleTimeouts timeouts, long minBytes, Runnable onTooSlow) {
    this.timeouts = timeouts;
    this.minBytes = minBytes;
    this.onTooSlow = onTooSlow;
  }

  /** Starts to measure, unless this was stopped. */
  void start() {
    pause();
    if (stopped) {
      return;
    }
    received = 0;
    timeout = timeouts.start(onTooSlow);
  }

  void received(int bytes) {
    received += bytes;
    if (received >= minBytes && timeout != null) {
      received = 0;
      timeout.restart();
    }
  }

  /** Stops for good: the connection may soon be used by another request. */
  void stop() {
    pause();
    stopped = true;
  }

  /** Stops to measure until it is started again. */
  void pause() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }
}
