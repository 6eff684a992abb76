package dev.once.http.gateway;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers whether the upstream sent bytes that no request asked for. If such bytes come late,
 * they cannot be told from the answer to the next request. So for a minute each of its connections
 * is used once. Belongs to one event loop.
 */
final class UnsolicitedBytes {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * Bytes on a connection that was idle for longer are about the connection itself, such as a
   * timeout message.
   */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean seen;
  private long seenAt;

  private boolean warned;
  private long warnedAt;
  private int notLogged;

  /**
   * Bytes were dropped.
   *
   * @param idleNanos how long their connection had been without a request
   */
  void dropped(int bytes, String when, long idleNanos) {
    long now = System.nanoTime();
    boolean soon = idleNanos < SOON_NANOS;
    if (soon) {
      seen = true;
      seenAt = now;
    }
    if (warned && now - warnedAt < WINDOW_NANOS) {
      notLogged++;
      return;
    }
    log.warn(
        "the upstream sent {} bytes {}: dropped, and the connection is closed{}; {} more times"
            + " since the last such warning",
        bytes,
        when,
        soon ? "; for a minute each connection to it is used for one request only" : "",
        notLogged);
    warned = true;
    warnedAt = now;
    notLogged = 0;
  }

  boolean wereSeenLately() {
    return seen && System.nanoTime() - seenAt < WINDOW_NANOS;
  }
}
