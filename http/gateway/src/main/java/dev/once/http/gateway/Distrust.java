package dev.once.http.gateway;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the upstream has sent more than it was asked for. What comes too late cannot be told from
 * the answer to the next request, so for a minute each of its connections is used once. Belongs to
 * one event loop.
 */
final class Distrust {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Who says something to a connection that was silent for so long means the connection. */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean due;
  private long since;

  private boolean told;
  private long toldAt;
  private int untold;

  /**
   * Bytes were dropped.
   *
   * @param idleNanos how long their connection had been without a request
   */
  void dropped(int bytes, String when, long idleNanos) {
    long now = System.nanoTime();
    boolean soon = idleNanos < SOON_NANOS;
    if (soon) {
      due = true;
      since = now;
    }
    if (told && now - toldAt < LONG_NANOS) {
      untold++;
      return;
    }
    log.warn(
        "the upstream sent {} bytes {}: dropped, and their connection is closed{}; {} more such"
            + " since this was said",
        bytes,
        when,
        soon ? "; for a minute none is used for a second request" : "",
        untold);
    told = true;
    toldAt = now;
    untold = 0;
  }

  boolean isDue() {
    return due && System.nanoTime() - since < LONG_NANOS;
  }
}
