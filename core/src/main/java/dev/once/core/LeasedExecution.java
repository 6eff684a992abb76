package dev.once.core;

import dev.once.core.WaitingDuplicates.Waiter;
import dev.once.core.store.Lease;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An execution under a lease, which {@link Renewals} renews until it ends. Thread-safe. */
final class LeasedExecution implements Execution {

  private final Engine engine;
  private final Operation operation;
  private final ClaimTries tries;
  private final @Nullable Lease lease;
  private final long startedAt;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final CompletableFuture<Void> lost = new CompletableFuture<>();

  // Guarded by lost: whether this has ended, and which requests of this process wait for it, if
  // any;
  // true for those who came before it was being recorded.
  private boolean waitersTold;
  private @Nullable Map<Waiter, Boolean> waiters;

  /** Written by {@link Renewals} only. */
  volatile long renewAt;

  /** When the lease was last granted or renewed. Written by {@link Renewals} only. */
  volatile long leasedAt;

  LeasedExecution(
      Engine engine, Operation operation, ClaimTries tries, @Nullable Lease lease, long startedAt) {
    this.engine = engine;
    this.operation = operation;
    this.tries = tries;
    this.lease = lease;
    this.startedAt = startedAt;
  }

  @Override
  public Operation operation() {
    return operation;
  }

  @Override
  public boolean isProtected() {
    return lease != null;
  }

  @Override
  public Optional<Fence> fence() {
    return lease == null ? Optional.empty() : Optional.of(lease.fence());
  }

  @Override
  public int attempt() {
    return lease == null ? 1 : lease.attempt();
  }

  @Override
  public CompletionStage<Void> lost() {
    return lost.minimalCompletionStage();
  }

  @Override
  public CompletionStage<Result> complete(Answer answer) {
    Objects.requireNonNull(answer, "answer: null (expected: an Answer)");
    end();
    return copyOf(engine.finish(this, answer));
  }

  @Override
  public CompletionStage<Result> fail(Throwable cause) {
    Objects.requireNonNull(cause, "cause: null (expected: what the handler threw)");
    end();
    return copyOf(engine.fail(this, cause));
  }

  @Override
  public CompletionStage<Boolean> release() {
    end();
    return copyOf(engine.release(this));
  }

  @Override
  public void abandon() {
    end();
    engine.abandon(this);
  }

  /** A future of the caller's own: what it does with that does not change what happens. */
  private static <T> CompletionStage<T> copyOf(CompletableFuture<T> own) {
    return own.isDone() ? own : own.minimalCompletionStage();
  }

  private void end() {
    if (!ended.compareAndSet(false, true)) {
      throw new ExecutionEndedException(operation.id());
    }
  }

  /** Whether an end was asked for; it may not be recorded yet. */
  boolean hasEnded() {
    return ended.get();
  }

  Lease lease() {
    if (lease == null) {
      throw new IllegalStateException(operation.id() + ": no lease (expected: protected)");
    }
    return lease;
  }

  ClaimTries tries() {
    return tries;
  }

  long startedAt() {
    return startedAt;
  }

  /**
   * Wakes the waiter when this has ended; at once if it has. Who came before the answer was sent to
   * the store is given it. Who came later asks the store: the answer may have been recorded and
   * released before it came, and it was told to wait for another owner.
   */
  void addWaiter(Waiter waiter) {
    synchronized (lost) {
      if (!waitersTold) {
        if (waiters == null) {
          waiters = new LinkedHashMap<>();
        }
        waiters.put(waiter, !hasEnded());
        return;
      }
    }
    waiter.wake(Optional.empty());
  }

  /** Keeps nothing of a waiter that left: the owner may run for hours, and others come and go. */
  void removeWaiter(Waiter waiter) {
    synchronized (lost) {
      if (waiters != null) {
        waiters.remove(waiter);
      }
    }
  }

  int waiters() {
    synchronized (lost) {
      return waiters == null ? 0 : waiters.size();
    }
  }

  /** This has ended, with the recorded answer or without one. The first end counts. */
  void tellWaiters(Optional<Answer> answer) {
    Map<Waiter, Boolean> told;
    synchronized (lost) {
      if (waitersTold) {
        return;
      }
      waitersTold = true;
      told = waiters == null ? Map.of() : waiters;
      waiters = null;
    }
    told.forEach((waiter, early) -> waiter.wake(early ? answer : Optional.empty()));
  }

  void markLost() {
    lost.complete(null);
  }
}
