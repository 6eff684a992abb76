package dev.once.stores.redis;

import dev.once.core.Fence;
import dev.once.core.store.Claim;
import dev.once.stores.redis.RedisSettings.Topology;
import io.lettuce.core.cluster.SlotHash;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * What this process knows of the clock that fences come from: each claim says which fence is too
 * low. A master that was promoted may have a clock behind that of the old one, and must go on from
 * there, not from its own.
 *
 * <p>A fence is a time of the server in microseconds. So the highest that was seen grows on here,
 * by this process's elapsed time: then fences that others were granted meanwhile are below it too.
 * It grows a hundredth slower, and so never gets ahead of a server's clock that runs on. Were it
 * ahead, two processes could be ahead by different times, and fences would go back.
 *
 * <p>The masters of a cluster have different clocks: there each slot is on its own.
 */
final class SeenFences {

  private static final long NONE = Long.MIN_VALUE;

  private final LongSupplier nanoTime;

  /** For each slot, the highest fence less our time at which it was seen. */
  private final AtomicLongArray slots;

  SeenFences(Topology topology, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    slots = new AtomicLongArray(topology == Topology.CLUSTER ? SlotHash.SLOT_COUNT : 1);
    for (int slot = 0; slot < slots.length(); slot++) {
      slots.setPlain(slot, NONE);
    }
  }

  /** What may have been granted until now, for the record with this key; 0 if nothing is known. */
  long highest(byte[] key) {
    long seen = slots.get(slot(key));
    return seen == NONE ? 0 : seen + slowMicros();
  }

  Claim seen(byte[] key, Claim claim) {
    if (claim instanceof Claim.Granted granted) {
      seen(key, granted.lease().fence());
    } else if (claim instanceof Claim.Abandoned abandoned) {
      seen(key, abandoned.fence());
    }
    return claim;
  }

  void seen(byte[] key, Fence fence) {
    slots.accumulateAndGet(slot(key), fence.value() - slowMicros(), Math::max);
  }

  private int slot(byte[] key) {
    return slots.length() == 1 ? 0 : SlotHash.getSlot(key);
  }

  private long slowMicros() {
    return nanoTime.getAsLong() / 1000 * 99 / 100;
  }
}
