package dev.once.core;

import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executions that run in this process, and the renewal of their leases.
 *
 * <p>A lease is renewed when a third of it is gone, and more often after a failed renewal. There is
 * one timer for all executions, set to the earliest renewal. Most executions end before their first
 * renewal, and cost a map entry but no timer.
 */
final class Renewals {

  private static final Logger log = LoggerFactory.getLogger(Once.class);

  /** Renewals due within this time of each other share a tick. */
  private static final Duration TICK = Duration.ofMillis(10);

  private final StoreCalls store;
  private final Scheduler scheduler;
  private final OnceListener listener;
  private final ConcurrentHashMap<OperationId, LeasedExecution> running = new ConcurrentHashMap<>();

  // Guarded by this: the timer that is set, and for when.
  private Scheduler.@Nullable Timer timer;
  private volatile long timerAt;
  private volatile boolean timerSet;
  private volatile boolean closed;

  Renewals(StoreCalls store, Settings settings) {
    this.store = store;
    this.scheduler = settings.scheduler();
    this.listener = settings.listener();
  }

  void add(LeasedExecution execution) {
    execution.leasedAt = execution.startedAt();
    execution.renewAt = execution.startedAt() + third(execution);
    LeasedExecution other = running.putIfAbsent(execution.operation().id(), execution);
    if (other != null) {
      supersede(execution, other);
    }
    wakeAt(execution.renewAt);
  }

  /** Of two executions of one operation the higher fence owns it; replies may come out of order. */
  private void supersede(LeasedExecution one, LeasedExecution other) {
    boolean higher = one.lease().fence().compareTo(other.lease().fence()) > 0;
    if (!higher) {
      lose(one);
    } else if (running.replace(one.operation().id(), other, one)) {
      lose(other);
    } else {
      add(one);
    }
  }

  /** Renews no more. Whoever waits for the execution in this process is told its outcome. */
  void remove(LeasedExecution execution, Optional<Answer> recorded) {
    running.remove(execution.operation().id(), execution);
    execution.tellWaiters(recorded);
  }

  /** The execution of the same request in this process, if there is one. */
  @Nullable LeasedExecution running(Operation operation) {
    LeasedExecution execution = running.get(operation.id());
    return execution != null && execution.operation().fingerprint().equals(operation.fingerprint())
        ? execution
        : null;
  }

  /**
   * Whether the same request runs here, under a lease that by this process's steady clock is not
   * over. A store whose clock was set may think that it is.
   */
  boolean holdsLease(Operation operation) {
    LeasedExecution execution = running(operation);
    return execution != null
        && scheduler.nanoTime() - execution.leasedAt
            < execution.operation().policy().lease().toNanos();
  }

  synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }

  private void wakeAt(long at) {
    if (!timerSet || timerAt - at > 0) {
      synchronized (this) {
        if (!closed && (!timerSet || timerAt - at > 0)) {
          if (timer != null) {
            timer.cancel();
          }
          Duration delay = Duration.ofNanos(Math.max(at - scheduler.nanoTime(), 0));
          timerAt = at;
          timerSet = true;
          timer = scheduler.schedule(delay, this::tick);
        }
      }
    }
  }

  private void tick() {
    if (closed) {
      return;
    }
    timerSet = false;
    long now = scheduler.nanoTime();
    long earliest = Long.MAX_VALUE;
    for (LeasedExecution execution : running.values()) {
      if (execution.renewAt - now <= 0) {
        renew(execution, now);
      }
      earliest = Math.min(earliest, execution.renewAt - now);
    }
    if (earliest != Long.MAX_VALUE) {
      wakeAt(now + Math.max(earliest, TICK.toNanos()));
    }
  }

  private void renew(LeasedExecution execution, long now) {
    Policy policy = execution.operation().policy();
    if (now - execution.startedAt() > policy.longestRun().toNanos()) {
      log.warn(
          "{}: still running after {}, its lease is not renewed any more",
          execution.operation().id(),
          policy.longestRun());
      remove(execution, Optional.empty());
      return;
    }
    execution.renewAt = now + third(execution);
    store
        .renew(execution.lease(), policy.lease())
        .whenComplete(
            (owned, failure) -> {
              if (failure != null) {
                log.warn(
                    "{}: lease not renewed: {}", execution.operation().id(), failure.toString());
                execution.renewAt = scheduler.nanoTime() + third(execution) / 4;
                wakeAt(execution.renewAt);
              } else if (owned) {
                execution.leasedAt = now;
                listener.renewed(execution);
              } else if (!execution.hasEnded()) {
                lose(execution);
              }
            });
  }

  private void lose(LeasedExecution execution) {
    log.warn("{}: lost to another owner while running", execution.operation().id());
    remove(execution, Optional.empty());
    listener.lost(execution);
    execution.markLost();
  }

  private static long third(LeasedExecution execution) {
    return execution.operation().policy().lease().toNanos() / 3;
  }
}
