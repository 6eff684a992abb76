package dev.once.stores.jdbc;

import dev.once.core.store.StoreSetupException;
import dev.once.core.store.StoreSetupException.Problem;
import java.time.Duration;

/**
 * How many connections a store uses, and for what.
 *
 * @param lanes that steps are taken on
 * @param keepsLanes whether a lane has its connection from the open to the close. It must where
 *     others wait for the same pool: whoever holds one of its connections may wait for this store.
 * @param readers that look, purge and tell other nodes
 * @param listens whether there is one for wake-ups, if the database has them
 * @param maxIdle after which any other connection that is not used goes back to its pool
 * @param maxTrusted after which one that was not used is asked whether it is still there
 */
record Connections(
    int lanes,
    boolean keepsLanes,
    int readers,
    boolean listens,
    Duration maxIdle,
    Duration maxTrusted) {

  private static final int READERS = 2;
  private static final Duration MAX_IDLE = Duration.ofSeconds(20);

  /** Servers and networks end connections that nobody uses; none of them is as quick as this. */
  static final Duration MAX_TRUSTED = Duration.ofSeconds(3);

  /** A lane and a reader; and one for the application. */
  private static final int SMALLEST_POOL = 3;

  /** As many as are of use. */
  static Connections all(Dialect dialect) {
    return new Connections(
        dialect.lanes(), false, READERS, canListen(dialect), MAX_IDLE, MAX_TRUSTED);
  }

  /**
   * Up to half of a pool of so many, which the application uses too.
   *
   * @throws StoreSetupException if there are too few for both
   */
  static Connections within(Dialect dialect, int poolSize) {
    if (poolSize < SMALLEST_POOL) {
      throw new StoreSetupException(
          Problem.POOL,
          "pool: %d connections (expected: at least %d, because the store shares it: two for the store,"
                  .formatted(poolSize, SMALLEST_POOL)
              + " and the others for the application); enlarge it, or give the store a pool of its"
              + " own (JdbcStore.beside or JdbcStore.open)",
          null);
    }
    int most = Math.max(2, poolSize / 2);
    int lanes = Math.min(dialect.lanes(), most - 1);
    boolean listens = canListen(dialect) && most - lanes > 1;
    int left = most - lanes - (listens ? 1 : 0);
    return new Connections(lanes, true, Math.min(left, READERS), listens, MAX_IDLE, MAX_TRUSTED);
  }

  private static boolean canListen(Dialect dialect) {
    return dialect.hasWakeUps() && !dialect.isThroughPooler();
  }

  /** At most. */
  int total() {
    return lanes + readers + (listens ? 1 : 0);
  }
}
