package dev.once.core;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired records from time to time, in small batches. While there is a backlog, the next
 * batch follows at once. Safe to run on every node, because deleting what has expired changes no
 * answer.
 */
final class PurgeTask {

  private static final Logger log = LoggerFactory.getLogger(Once.class);
  private static final int BATCH = 500;
  private static final int LOG_EVERY = 50_000;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(20);

  private final StoreCalls store;
  private final Settings settings;
  private final Duration interval;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /** Since there is a backlog. */
  private long purgedInARow;

  PurgeTask(StoreCalls store, Settings settings, Duration interval) {
    this.store = store;
    this.settings = settings;
    this.interval = interval;
  }

  void start() {
    next(interval);
  }

  synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }

  private synchronized void next(Duration delay) {
    if (!closed) {
      timer = settings.scheduler().schedule(settings.jitter(delay), this::purge);
    }
  }

  private void purge() {
    store
        .purgeExpired(BATCH)
        .whenComplete(
            (purged, failure) -> {
              if (failure != null) {
                log.warn(
                    "expired keys not purged, next try in {}: {}", interval, failure.toString());
              }
              if (failure == null && purged > 0) {
                settings.listener().purged(purged);
              }
              boolean backlog = failure == null && purged == BATCH;
              tell(failure == null ? purged : 0, backlog);
              next(backlog ? BETWEEN_BATCHES : interval);
            });
  }

  /** A long backlog shows how far it is. */
  private synchronized void tell(int purged, boolean backlog) {
    long before = purgedInARow;
    purgedInARow += purged;
    if (purgedInARow / LOG_EVERY > before / LOG_EVERY) {
      log.info("{} expired keys purged, {}", purgedInARow, backlog ? "more to come" : "done");
    }
    if (!backlog) {
      purgedInARow = 0;
    }
  }
}
