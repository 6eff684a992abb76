package dev.once.http.gateway;

import io.vertx.core.Context;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory for the answers that a store may return. The size of a recorded answer is known only when
 * it is in memory, so each request that asks the store reserves as much as the largest answer seen
 * so far. While all are {@linkplain #areAnswersSmall small}, none is needed.
 *
 * <p>Requests that ask hold this room for a moment, and it is no part of the budget for bodies: a
 * crowd of bodies does not keep others from asking. Duplicates that wait do so for long, and take
 * it from that budget.
 */
final class ReplayMemory {

  private final HeldBytes bodies;
  private final HeldBytes budget;
  private final AtomicInteger largest = new AtomicInteger();

  ReplayMemory(HeldBytes bodies) {
    this.bodies = bodies;
    this.budget = new HeldBytes(bodies.limit() / 4);
  }

  /** An answer was recorded or replayed. */
  void noteSize(int size) {
    if (size > largest.get()) {
      largest.accumulateAndGet(size, Math::max);
    }
  }

  /** Whether no room is needed. */
  boolean areAnswersSmall() {
    return largest.get() <= HeldBytes.SMALL;
  }

  /** Runs {@code room} with what is to be run when the room is not needed any more. */
  void reserve(
      boolean waits,
      Context context,
      IdleTimeouts timeouts,
      Reserved onReserved,
      Runnable onTimeout) {
    HeldBytes from = waits ? bodies : budget;
    long bytes = Math.min(largest.get(), from.limit() / 2);
    Runnable release = () -> from.release(bytes);
    if (from.take(bytes, HeldBytes.Use.REQUEST)) {
      onReserved.run(release);
    } else {
      from.await(
          bytes,
          HeldBytes.Use.REQUEST,
          context,
          timeouts,
          () -> onReserved.run(release),
          onTimeout);
    }
  }

  /** What is done with the room. */
  interface Reserved {
    void run(Runnable release);
  }
}
