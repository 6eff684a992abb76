package dev.once.http.gateway;

import dev.once.http.gateway.Patience.Wait;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that a body that streams comes at a least rate: by and by, a few bytes would hold a
 * connection to the upstream for ever. Time in which the other side takes nothing does not count.
 */
final class Pace {

  private final Patience patience;
  private final long least;
  private final Runnable tooSlow;
  private @Nullable Wait wait;
  private long came;
  private boolean over;

  /**
   * @param least bytes within the patience
   */
  Pace(Patience patience, long least, Runnable tooSlow) {
    this.patience = patience;
    this.least = least;
    this.tooSlow = tooSlow;
  }

  /** From now on the body is waited for, unless it is over. */
  void start() {
    end();
    if (over) {
      return;
    }
    came = 0;
    wait = patience.start(tooSlow);
  }

  void came(int bytes) {
    came += bytes;
    if (came >= least && wait != null) {
      came = 0;
      wait.moved();
    }
  }

  /** Nothing of this body is waited for any more; its connection is somebody else's by and by. */
  void finish() {
    end();
    over = true;
  }

  /** Nothing is waited for, until it starts again. */
  void end() {
    if (wait != null) {
      wait.end();
      wait = null;
    }
  }
}
