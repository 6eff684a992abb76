package dev.once.http.gateway;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends what takes too long. There is no timer for each thing that is waited for, but one look at
 * all of them, several times within the limit: most are over long before, and then cost next to
 * nothing. Belongs to one event loop.
 */
final class Patience {

  private static final int LOOKS = 8;

  /** The waits are a ring, and this is where it starts and ends. */
  private final Wait ring = new Wait(() -> {});

  /** Counted in looks. */
  private long now;

  Patience(Vertx vertx, Duration limit) {
    vertx.setPeriodic(Math.max(1, limit.toMillis() / LOOKS), any -> look());
  }

  /** Starts to wait. If it is not over within the limit, {@code tooLong} is told once. */
  Wait start(Runnable tooLong) {
    Wait wait = new Wait(tooLong);
    wait.since = now;
    wait.next = ring;
    wait.previous = ring.previous;
    ring.previous.next = wait;
    ring.previous = wait;
    return wait;
  }

  private void look() {
    now++;
    List<Wait> late = new ArrayList<>();
    for (Wait wait = ring.next; wait != ring; wait = wait.next) {
      if (!wait.endless && now - wait.since > LOOKS) {
        late.add(wait);
      }
    }
    for (Wait wait : late) {
      if (wait.end()) {
        wait.tooLong.run();
      }
    }
  }

  /** One thing that is waited for. */
  final class Wait {

    private final Runnable tooLong;
    private long since;
    private boolean endless;
    private Wait next = this;
    private Wait previous = this;

    private Wait(Runnable tooLong) {
      this.tooLong = tooLong;
    }

    /** Something moved: the time starts again. */
    void moved() {
      since = now;
    }

    /** From now on it may take as long as it likes. */
    void endless() {
      endless = true;
    }

    /** It is over. False if it was before. */
    boolean end() {
      boolean running = next != this;
      previous.next = next;
      next.previous = previous;
      next = this;
      previous = this;
      return running;
    }
  }
}
