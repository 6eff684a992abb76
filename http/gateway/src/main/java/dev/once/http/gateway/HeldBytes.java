package dev.once.http.gateway;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The memory budget for all buffered bodies: requests that are read whole, also those of waiting
 * duplicates; and answers until they are recorded and their clients have read them.
 *
 * <p>Large bodies leave an eighth of it to small ones, so that many large bodies do not shut out
 * the usual ones. Requests leave another eighth to answers: a request without room can be sent
 * again, but an answer without room is not recorded, and strangers must not cause that by
 * announcing large bodies. A body can wait for room; a smaller one may overtake it. Safe for use by
 * all event loops.
 */
final class HeldBytes {

  /** Up to here a body is small. */
  static final int SMALL = 16 * 1024;

  /** What a connection that waits for room may have in buffers that nobody counts. */
  private static final int UNCOUNTED_PER_CONNECTION = 64 * 1024;

  private final long limit;
  private final AtomicLong held = new AtomicLong();
  private final LongAdder refused = new LongAdder();
  private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  HeldBytes(long limit) {
    this.limit = limit;
  }

  /** What the room is for. */
  enum Use {
    /** A request, or an answer that was recorded: whoever finds no room may ask again. */
    REQUEST,
    /** The answer of an operation that ran. */
    ANSWER
  }

  /** Takes room, all of it or nothing; false if there is not enough. */
  boolean take(long bytes, Use use) {
    long eighths = bytes <= SMALL ? 0 : use == Use.ANSWER ? 1 : 2;
    long most = limit - limit / 8 * eighths;
    long now;
    do {
      now = held.get();
      if (now + bytes > most) {
        return false;
      }
    } while (!held.compareAndSet(now, now + bytes));
    return true;
  }

  /** Gives room back, and wakes who waits for it. */
  void release(long bytes) {
    held.addAndGet(-bytes);
    if (waiting.get() > 0) {
      wake();
    }
  }

  /**
   * Takes room as soon as there is some, and then runs {@code room} on the context; or {@code none}
   * if there is none in time, or too many wait.
   *
   * @param timeouts for how long
   */
  void await(
      long bytes,
      Use use,
      Context context,
      IdleTimeouts timeouts,
      Runnable onTaken,
      Runnable onTimeout) {
    if (waiting.get() >= Math.max(16, limit / UNCOUNTED_PER_CONNECTION)) {
      refused.increment();
      onTimeout.run();
      return;
    }
    Waiter waiter = new Waiter(bytes, use, context, timeouts, onTaken, onTimeout);
    waiting.incrementAndGet();
    waiters.add(waiter);
    wake(); // what was given back before anybody saw this one wait
  }

  private void wake() {
    for (Waiter waiter : waiters) {
      if (held.get() >= limit) {
        return;
      }
      waiter.tryAgain();
    }
  }

  /** Counts one that was sent away. */
  void refused() {
    refused.increment();
  }

  long held() {
    return held.get();
  }

  long limit() {
    return limit;
  }

  long refusals() {
    return refused.sum();
  }

  /** Somebody for whom there was no room. */
  private final class Waiter {

    private final long bytes;
    private final Use use;
    private final Context context;
    private final Runnable onTaken;
    private final IdleTimeouts.Timeout timeout;
    private final AtomicBoolean over = new AtomicBoolean();

    Waiter(
        long bytes,
        Use use,
        Context context,
        IdleTimeouts timeouts,
        Runnable onTaken,
        Runnable onTimeout) {
      this.bytes = bytes;
      this.use = use;
      this.context = context;
      this.onTaken = onTaken;
      this.timeout =
          timeouts.start(
              () -> {
                if (leave()) {
                  refused.increment();
                  onTimeout.run();
                }
              });
    }

    /** On any thread. */
    void tryAgain() {
      if (!take(bytes, use)) {
        return;
      }
      if (!leave()) {
        held.addAndGet(-bytes); // whoever wakes the waiters goes on to the next one
        return;
      }
      context.runOnContext(
          any -> {
            timeout.cancel();
            onTaken.run();
          });
    }

    private boolean leave() {
      if (!over.compareAndSet(false, true)) {
        return false;
      }
      waiters.remove(this);
      waiting.decrementAndGet();
      return true;
    }
  }
}
