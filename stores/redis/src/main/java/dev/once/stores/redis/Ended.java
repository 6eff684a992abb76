package dev.once.stores.redis;

import dev.once.core.OperationId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Which operations have ended, as far as this process has seen it lately. It decides only how to
 * ask: of such an operation the answer is read, which costs the server half of what a claim does,
 * and if none is found it is claimed after all. So it may be wrong, and forget.
 *
 * <p>Each entry is a part of the operation's digest and the second until which it holds, in one
 * number. It has few places to be in, of which the one that was put there first is given up. Two
 * threads that do so at the same time may lose an entry, and that is all.
 */
final class Ended {

  private static final int BUCKETS = 1 << 14;
  private static final int PLACES = 4;
  private static final int TIME_BITS = 28;
  private static final long TIME = (1L << TIME_BITS) - 1;

  private final AtomicLongArray entries = new AtomicLongArray(BUCKETS * PLACES);
  private final LongSupplier nanoTime;
  private final long start;

  Ended(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    start = nanoTime.getAsLong();
  }

  boolean has(OperationId id) {
    ByteBuffer digest = id.digest().asBuffer();
    int place = place(digest, bucket(digest));
    return place >= 0 && (entries.get(place) & TIME) > seconds();
  }

  void remember(OperationId id, Duration kept) {
    ByteBuffer digest = id.digest().asBuffer();
    int bucket = bucket(digest);
    int place = place(digest, bucket);
    if (place < 0) {
      place = bucket;
      for (int i = bucket + PLACES - 1; i > bucket; i--) {
        entries.lazySet(i, entries.get(i - 1));
      }
    }
    long until = Math.min(TIME, seconds() + kept.toSeconds());
    entries.lazySet(place, mark(digest) | until);
  }

  void forget(OperationId id) {
    ByteBuffer digest = id.digest().asBuffer();
    int place = place(digest, bucket(digest));
    if (place >= 0) {
      entries.set(place, 0);
    }
  }

  /** Where its entry is; negative if it has none. */
  private int place(ByteBuffer digest, int bucket) {
    long mark = mark(digest);
    for (int i = bucket; i < bucket + PLACES; i++) {
      if ((entries.get(i) & ~TIME) == mark) {
        return i;
      }
    }
    return -1;
  }

  private static long mark(ByteBuffer digest) {
    return digest.getLong(0) & ~TIME;
  }

  private static int bucket(ByteBuffer digest) {
    return (digest.getInt(Long.BYTES) & (BUCKETS - 1)) * PLACES;
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - start);
  }
}
