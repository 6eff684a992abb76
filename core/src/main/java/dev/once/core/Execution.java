package dev.once.core;

import dev.once.core.Waiting.Waiter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the caller may run, and must end: by {@link #complete}, {@link #fail}, {@link
 * #release} or {@link #abandon}. Until then its lease renews itself, for as long as the policy's
 * longest run; an execution that has not ended by then counts as crashed once its lease is over.
 * Thread-safe.
 */
public final class Execution {

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
  private boolean over;
  private @Nullable Map<Waiter, Boolean> waiters;

  /** Written by {@link Renewals} only. */
  volatile long renewAt;

  /** When the lease was last granted or renewed. Written by {@link Renewals} only. */
  volatile long leasedAt;

  Execution(
      Engine engine, Operation operation, ClaimTries tries, @Nullable Lease lease, long startedAt) {
    this.engine = engine;
    this.operation = operation;
    this.tries = tries;
    this.lease = lease;
    this.startedAt = startedAt;
  }

  public Operation operation() {
    return operation;
  }

  /** False if the store was down and the policy said to go on: nothing is recorded. */
  public boolean isProtected() {
    return lease != null;
  }

  /** The fence to pass on to whatever the handler writes to; empty if unprotected. */
  public Optional<Fence> fence() {
    return lease == null ? Optional.empty() : Optional.of(lease.fence());
  }

  /** 1, or more if earlier owners crashed; 1 again after a release or a withdrawal of the key. */
  public int attempt() {
    return lease == null ? 1 : lease.attempt();
  }

  /**
   * Completed if the right to run is found lost, to another owner or because a person released the
   * key: whatever the handler still does will not be recorded.
   */
  public CompletionStage<Void> lost() {
    return lost.minimalCompletionStage();
  }

  /**
   * Ends with an answer. The stage says what to tell the client, after the answer was recorded. If
   * the store does not reply within {@link Once.Builder#recordTimeout} it says that the outcome is
   * unknown, and has the answer for whoever wants to do something about it; recording is then still
   * tried in the background, for as long as one lease.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  public CompletionStage<Result> complete(Answer answer) {
    Objects.requireNonNull(answer, "answer: null (expected: an Answer)");
    end();
    return engine.finish(this, answer);
  }

  /**
   * Ends with what the handler threw, by the rule of {@link Thrown}: released if it says that
   * nothing was done; abandoned if it is an interruption or an {@link Error}, which do not say what
   * was done; else kept or not, as the policy says for failures.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  public CompletionStage<Result> fail(Throwable cause) {
    Objects.requireNonNull(cause, "cause: null (expected: what the handler threw)");
    end();
    return engine.fail(this, cause);
  }

  /**
   * Ends without an answer: a retry may run. The stage is true if the store said that it freed the
   * key; false if the key has another owner, or the store did not say within {@link
   * Once.Builder#recordTimeout}: then it is still tried in the background.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  public CompletionStage<Boolean> release() {
    end();
    return engine.release(this);
  }

  /**
   * Ends without an answer, as a crash would: the lease is not renewed any more, and when it is
   * over the crash policy decides. For a caller that cannot know whether the operation took effect,
   * or whether it still runs.
   *
   * @throws ExecutionEndedException if it was ended before
   */
  public void abandon() {
    end();
    engine.abandon(this);
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
      if (!over) {
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
      if (over) {
        return;
      }
      over = true;
      told = waiters == null ? Map.of() : waiters;
      waiters = null;
    }
    told.forEach((waiter, early) -> waiter.wake(early ? answer : Optional.empty()));
  }

  void markLost() {
    lost.complete(null);
  }
}
