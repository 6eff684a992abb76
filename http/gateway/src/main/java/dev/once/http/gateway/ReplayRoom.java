package dev.once.http.gateway;

import io.vertx.core.Context;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for the answers that a store may hand out. How large a recorded answer is, nobody knows
 * before it is in memory; so each request that asks the store has room for the largest one that was
 * seen. While all are {@linkplain #areSmall small}, none is needed.
 *
 * <p>Requests that ask hold this room for a moment, and it is no part of the budget for bodies: a
 * crowd of bodies does not keep others from asking. Duplicates that wait do so for long, and take
 * it from that budget.
 */
final class ReplayRoom {

  private final HeldBytes bodies;
  private final HeldBytes asking;
  private final AtomicInteger largest = new AtomicInteger();

  ReplayRoom(HeldBytes bodies) {
    this.bodies = bodies;
    this.asking = new HeldBytes(bodies.limit() / 4);
  }

  /** An answer was recorded or replayed. */
  void saw(int size) {
    if (size > largest.get()) {
      largest.accumulateAndGet(size, Math::max);
    }
  }

  /** Whether no room is needed. */
  boolean areSmall() {
    return largest.get() <= HeldBytes.SMALL;
  }

  /** Runs {@code room} with what is to be run when the room is not needed any more. */
  void enter(boolean waits, Context context, Patience patience, Entered room, Runnable none) {
    HeldBytes from = waits ? bodies : asking;
    long bytes = Math.min(largest.get(), from.limit() / 2);
    Runnable leave = () -> from.give(bytes);
    if (from.take(bytes, HeldBytes.Use.REQUEST)) {
      room.run(leave);
    } else {
      from.await(bytes, HeldBytes.Use.REQUEST, context, patience, () -> room.run(leave), none);
    }
  }

  /** What is done with the room. */
  interface Entered {
    void run(Runnable leave);
  }
}
