package dev.once.tck;

import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * A store under test and the ways to treat it that its own interface does not have. Each test opens
 * one of its own, finds no records in it, and closes it.
 */
public interface StoreFixture extends AutoCloseable {

  /** The store; the same one each time, until {@link #reopened}. */
  Store store();

  /**
   * A second handle on the same data, as another process has it. Only asked for if {@link
   * StoreCapabilities#shared}.
   */
  Store another();

  /**
   * Closes every handle, opens the same data again, and gives what is from now on {@link #store}.
   * Only asked for if {@link StoreCapabilities#durable}.
   */
  Store reopened();

  /**
   * Makes every stored record older by this much: an in-memory store moves the clock that it was
   * given, a table has the duration subtracted from its time columns. The tests never sleep.
   */
  void timePasses(Duration duration);

  /**
   * Round trips to the data so far (or statements, where that is what costs), over all handles;
   * empty if they cannot be counted.
   */
  default OptionalLong roundTrips() {
    return OptionalLong.empty();
  }

  /**
   * Whether expired records are deleted without {@link Store#purgeExpired}, as Redis does it. Such
   * a store has nothing to purge, and says 0.
   */
  default boolean purgesByItself() {
    return false;
  }

  @Override
  void close() throws Exception;
}
