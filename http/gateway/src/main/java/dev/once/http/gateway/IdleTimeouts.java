package dev.once.http.gateway;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Timeouts with the same limit. There is no timer for each of them: one timer checks all of them
 * several times within the limit. Most are cancelled long before, and cost almost nothing. Belongs
 * to one event loop.
 */
final class IdleTimeouts {

  private static final int CHECKS_PER_LIMIT = 8;

  /** The head of a linked ring of all running timeouts. */
  private final Timeout ring = new Timeout(() -> {});

  /** Counted in checks. */
  private long now;

  IdleTimeouts(Vertx vertx, Duration limit) {
    vertx.setPeriodic(Math.max(1, limit.toMillis() / CHECKS_PER_LIMIT), any -> checkAll());
  }

  /** Starts to wait. If it is not over within the limit, {@code tooLong} is told once. */
  Timeout start(Runnable onTimeout) {
    Timeout timeout = new Timeout(onTimeout);
    timeout.since = now;
    timeout.next = ring;
    timeout.previous = ring.previous;
    ring.previous.next = timeout;
    ring.previous = timeout;
    return timeout;
  }

  private void checkAll() {
    now++;
    List<Timeout> expired = new ArrayList<>();
    for (Timeout timeout = ring.next; timeout != ring; timeout = timeout.next) {
      if (!timeout.disable && now - timeout.since > CHECKS_PER_LIMIT) {
        expired.add(timeout);
      }
    }
    for (Timeout timeout : expired) {
      if (timeout.cancel()) {
        timeout.onTimeout.run();
      }
    }
  }

  /** One running timeout. */
  final class Timeout {

    private final Runnable onTimeout;
    private long since;
    private boolean disable;
    private Timeout next = this;
    private Timeout previous = this;

    private Timeout(Runnable onTimeout) {
      this.onTimeout = onTimeout;
    }

    /** There was progress, so the time starts again. */
    void restart() {
      since = now;
    }

    /** There is no limit from now on. */
    void disable() {
      disable = true;
    }

    /** Stops it. False if it had been stopped or had expired. */
    boolean cancel() {
      boolean running = next != this;
      previous.next = next;
      next.previous = previous;
      next = this;
      previous = this;
      return running;
    }
  }
}
