package dev.once.core;

import dev.once.core.spi.Scheduler;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Duplicates that wait for the first one's answer: how many may, how long, and when it is worth
 * asking the store again.
 *
 * <p>A waiter is woken by the execution itself if it runs in this process, by the store's signal if
 * there is one, and at the latest by its own timer, which backs off.
 */
final class WaitingDuplicates {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(25);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Settings settings;
  private final AtomicInteger admitted = new AtomicInteger();
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  WaitingDuplicates(Settings settings) {
    this.settings = settings;
  }

  /** A new waiter, which must {@link Waiter#leave}; null if there are too many. */
  @Nullable Waiter admit(Operation operation) {
    if (admitted.incrementAndGet() > settings.maxWaiters()) {
      admitted.decrementAndGet();
      return null;
    }
    Waiter waiter = new Waiter(operation);
    waiters.add(waiter);
    return waiter;
  }

  int count() {
    return admitted.get();
  }

  /** All waiters ask once more, and then give up. */
  void close() {
    closed = true;
    waiters.forEach(waiter -> waiter.wake(Optional.empty()));
  }

  /** One duplicate. It pauses, asks, and pauses again; never two of these at once. */
  final class Waiter {

    private final long deadline;
    private final OperationId id;
    private Store.@Nullable Watch watch;
    private @Nullable LeasedExecution watched;
    private Duration pause = FIRST_PAUSE;

    /** Replaced before the store is asked, so that a wake-up during the question is not lost. */
    private volatile CompletableFuture<Optional<Answer>> signal = new CompletableFuture<>();

    private Waiter(Operation operation) {
      long now = settings.scheduler().nanoTime();
      this.deadline = now + operation.policy().longestWait().toNanos();
      this.id = operation.id();
    }

    boolean isOver() {
      return closed || settings.scheduler().nanoTime() - deadline >= 0;
    }

    /**
     * Ends when it is worth asking again, with the answer if it is known already.
     *
     * @param owner the execution waited for, if it runs in this process
     */
    CompletableFuture<Optional<Answer>> pause(
        Duration leaseRemaining, @Nullable LeasedExecution owner) {
      if (owner == null) {
        watchStore();
      } else if (owner != watched) {
        forgetOwner();
        watched = owner;
        owner.addWaiter(this);
      }
      Duration left = Duration.ofNanos(Math.max(0, deadline - settings.scheduler().nanoTime()));
      Duration delay = shortest(settings.jitter(pause), shortest(left, leaseRemaining));
      pause = shortest(pause.multipliedBy(2), LONGEST_PAUSE);
      Scheduler.Timer timer = settings.scheduler().schedule(delay, () -> wake(Optional.empty()));
      return signal.thenApply(
          answer -> {
            timer.cancel();
            signal = new CompletableFuture<>();
            return answer;
          });
    }

    /** A hint and no more: if it cannot be had, the timer is there. */
    private void watchStore() {
      if (watch == null) {
        try {
          watch = settings.store().watch(id, () -> wake(Optional.empty()));
        } catch (Throwable e) { // no room for its thread, say: the duplicate waits all the same
          log.warn("{}: the store's wake-up cannot be used: {}", id, e.toString());
        }
      }
    }

    private void forgetOwner() {
      if (watched != null) {
        watched.removeWaiter(this);
      }
    }

    void leave() {
      forgetOwner();
      waiters.remove(this);
      admitted.decrementAndGet();
      if (watch != null) {
        endWatch(watch);
      }
    }

    /** The store may be closed by now; whoever waited is told of that in its own words. */
    private void endWatch(Store.Watch ended) {
      try {
        ended.close();
      } catch (Throwable e) { // whatever it is, it must not take with it what was waited for
        log.debug("{}: the store's wake-up cannot be left: {}", id, e.toString());
      }
    }

    void wake(Optional<Answer> answer) {
      signal.complete(answer);
    }
  }

  private static Duration shortest(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
