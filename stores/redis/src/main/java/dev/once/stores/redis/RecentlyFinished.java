package dev.once.stores.redis;

import dev.once.core.Fence;
import dev.once.core.OperationId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Operations that this process has seen finish lately. This decides only how to ask the server: the
 * answer of such an operation is read, which costs half of a claim; if there is no answer, the
 * operation is claimed. So an entry may be wrong or missing.
 *
 * <p>Where replicas confirm, an entry with the fence says that they have what was recorded under
 * it.
 *
 * <p>Each entry is a part of the operation's digest and the second until which it holds, in one
 * number. It has few places to be in, of which the one that was put there first is given up. Two
 * threads that do so at the same time may lose an entry, and that is all.
 */
final class RecentlyFinished {

  private static final int BUCKETS = 1 << 14;
  private static final int PLACES = 4;
  private static final int TIME_BITS = 28;
  private static final long TIME = (1L << TIME_BITS) - 1;
  private static final long ANY_FENCE = 0;

  /** Makes fences, which differ in their last bits, differ in all of them. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final AtomicLongArray entries = new AtomicLongArray(BUCKETS * PLACES);
  private final LongSupplier nanoTime;
  private final long start;

  RecentlyFinished(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    start = nanoTime.getAsLong();
  }

  boolean has(OperationId id) {
    return has(id, ANY_FENCE);
  }

  void remember(OperationId id, Duration kept) {
    remember(id, ANY_FENCE, kept);
  }

  /** Whether replicas are known to have what was recorded under this fence: it never changes. */
  boolean isConfirmed(OperationId id, Fence fence) {
    return has(id, fence.value());
  }

  void rememberConfirmed(OperationId id, Fence fence, Duration kept) {
    remember(id, fence.value(), kept);
  }

  void forget(OperationId id) {
    ByteBuffer digest = id.digest().asBuffer();
    int place = place(mark(digest, ANY_FENCE), bucket(digest, ANY_FENCE));
    if (place >= 0) {
      entries.set(place, 0);
    }
  }

  private boolean has(OperationId id, long fence) {
    ByteBuffer digest = id.digest().asBuffer();
    int place = place(mark(digest, fence), bucket(digest, fence));
    return place >= 0 && (entries.get(place) & TIME) > seconds();
  }

  private void remember(OperationId id, long fence, Duration kept) {
    ByteBuffer digest = id.digest().asBuffer();
    long mark = mark(digest, fence);
    int bucket = bucket(digest, fence);
    int place = place(mark, bucket);
    if (place < 0) {
      place = bucket;
      for (int i = bucket + PLACES - 1; i > bucket; i--) {
        entries.lazySet(i, entries.get(i - 1));
      }
    }
    long until = Math.min(TIME, seconds() + kept.toSeconds());
    entries.lazySet(place, mark | until);
  }

  /** Where the entry is; negative if there is none. */
  private int place(long mark, int bucket) {
    for (int i = bucket; i < bucket + PLACES; i++) {
      if ((entries.get(i) & ~TIME) == mark) {
        return i;
      }
    }
    return -1;
  }

  private static long mark(ByteBuffer digest, long fence) {
    return (digest.getLong(0) ^ fence * SPREAD) & ~TIME;
  }

  private static int bucket(ByteBuffer digest, long fence) {
    return ((digest.getInt(Long.BYTES) ^ (int) fence) & (BUCKETS - 1)) * PLACES;
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - start);
  }
}
