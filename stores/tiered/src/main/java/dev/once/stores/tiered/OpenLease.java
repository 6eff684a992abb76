package dev.once.stores.tiered;

import dev.once.core.Answer;
import dev.once.core.Fingerprint;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease that was granted here and has not ended: what has to be known to put its answer into the
 * cache.
 *
 * <p>A completion is true again when it is tried again, whatever the answer of the second try, and
 * a first try without a reply may have been recorded. So only if all tries had one answer is it the
 * recorded one for certain, kept from the first try on, for the shortest time that was asked for.
 * All tries are made here: an owner does not move to another process.
 */
final class OpenLease {

  private final long token;
  private final Fingerprint fingerprint;
  private @Nullable Answer answer;
  private boolean contested;
  private long keptUntilNanos;

  OpenLease(long token, Fingerprint fingerprint) {
    this.token = token;
    this.fingerprint = fingerprint;
  }

  /** Of the claim that it was granted to. */
  long token() {
    return token;
  }

  /** A completion is about to be tried. */
  synchronized void offer(Answer offered, Duration retention, long nanoTime) {
    long until = nanoTime + retention.toNanos();
    if (answer == null) {
      answer = offered;
      keptUntilNanos = until;
    } else {
      contested |= !answer.equals(offered);
      keptUntilNanos = keptUntilNanos - until < 0 ? keptUntilNanos : until;
    }
  }

  /** The entry for the recorded answer, once the database has said that it is; empty if unsure. */
  synchronized Optional<CacheEntry> recorded() {
    return answer == null || contested
        ? Optional.empty()
        : Optional.of(new CacheEntry.Finished(fingerprint, answer));
  }

  /** How much longer the record is kept, at least. */
  synchronized Duration remaining(long nanoTime) {
    return Duration.ofNanos(keptUntilNanos - nanoTime);
  }
}
