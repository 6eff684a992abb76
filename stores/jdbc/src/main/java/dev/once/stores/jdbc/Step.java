package dev.once.stores.jdbc;

import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord.Status;
import java.time.Duration;

/**
 * A step of a store that may write, as data: it waits in a queue, and is run with others.
 *
 * @param <T> what it gives
 */
sealed interface Step<T> {

  /** Steps of one transaction are taken in this order: opposite orders would deadlock. */
  Bytes sortKey();

  /** Deletes expired records, where all that writes queues up. */
  record Purging(int atMost) implements Step<Integer> {
    @Override
    public Bytes sortKey() {
      return Bytes.EMPTY;
    }
  }

  /** A step of one operation. */
  sealed interface OfOne<T> extends Step<T> {
    OperationId id();

    @Override
    default Bytes sortKey() {
      return id().digest();
    }
  }

  record Claiming(ClaimRequest request) implements OfOne<Claim> {
    @Override
    public OperationId id() {
      return request.id();
    }
  }

  /** Takes back the claim that has this token, whoever's fence it got. */
  record Withdrawing(OperationId id, long token) implements OfOne<Boolean> {}

  /** A step of an operation's owner, or of a person who names the owner that was seen. */
  sealed interface Owned extends OfOne<Boolean> {
    Fence fence();
  }

  /**
   * Records an answer.
   *
   * @param answer encoded
   */
  record Completing(Lease lease, Status status, int code, Bytes answer, Duration retention)
      implements Owned {
    @Override
    public OperationId id() {
      return lease.id();
    }

    @Override
    public Fence fence() {
      return lease.fence();
    }
  }

  record Releasing(OperationId id, Fence fence) implements Owned {}

  record Renewing(OperationId id, Fence fence, Duration length) implements Owned {}

  record ForceReleasing(OperationId id, Fence fence) implements Owned {}
}
