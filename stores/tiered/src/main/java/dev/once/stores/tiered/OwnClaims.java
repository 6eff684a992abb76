package dev.once.stores.tiered;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * The claims made here that the database may have granted. If such a claim is made again, what the
 * cache says of its operation may be about itself.
 *
 * <p>A claim is forgotten when it is known that it was not granted, when its operation has ended or
 * it was withdrawn, and at last when its lease is long over: then nobody calls it busy. It is never
 * forgotten because there are many: an owner would be refused its own operation.
 */
final class OwnClaims {

  /** A mark in the cache may come that late, and is over soon after. */
  private static final Duration LONG_OVER = Duration.ofMinutes(2);

  private static final class Asked {
    /** How many times it was asked for, less those that were certainly not granted. */
    int times;

    long untilNanos;
  }

  /** By token; what was asked for last is last. */
  private final LinkedHashMap<Long, Asked> claims = new LinkedHashMap<>();

  synchronized void asked(long token, Duration lease, long nanoTime) {
    forgetOld(nanoTime);
    Asked asked = claims.remove(token);
    if (asked == null) {
      asked = new Asked();
    }
    asked.times++;
    asked.untilNanos = nanoTime + lease.plus(LONG_OVER).toNanos();
    claims.put(token, asked);
  }

  private void forgetOld(long nanoTime) {
    Iterator<Asked> all = claims.values().iterator();
    while (all.hasNext() && all.next().untilNanos - nanoTime < 0) {
      all.remove();
    }
  }

  synchronized void notGranted(long token) {
    Asked asked = claims.get(token);
    if (asked != null && --asked.times == 0) {
      claims.remove(token);
    }
  }

  synchronized void forget(long token) {
    claims.remove(token);
  }

  synchronized boolean has(long token) {
    return claims.containsKey(token);
  }

  synchronized int size() {
    return claims.size();
  }
}
