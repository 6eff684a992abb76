package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.store.OperationRecord.Status;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record of the {@link MemoryStore}, immutable. Times are milliseconds of the store's clock.
 *
 * @param completedAt 0 while processing
 * @param answer null while processing
 */
record MemoryRecord(
    Fingerprint fingerprint,
    long token,
    long fence,
    int attempt,
    long requestedAt,
    long leaseEnds,
    long completedAt,
    long expiresAt,
    @Nullable Answer answer) {

  MemoryRecord answered(Answer answer, long now, Duration retention) {
    long expires = now + retention.toMillis();
    return new MemoryRecord(
        fingerprint, token, fence, attempt, requestedAt, leaseEnds, now, expires, answer);
  }

  MemoryRecord renewed(long ends) {
    long expires = expiresAt + (ends - leaseEnds);
    return new MemoryRecord(
        fingerprint, token, fence, attempt, requestedAt, ends, 0, expires, null);
  }

  Lease lease(OperationId id) {
    return new Lease(id, new Fence(fence), attempt);
  }

  OperationRecord view(OperationId id) {
    return new OperationRecord(
        lease(id),
        fingerprint,
        status(),
        Instant.ofEpochMilli(requestedAt),
        Instant.ofEpochMilli(leaseEnds),
        answer == null ? null : Instant.ofEpochMilli(completedAt),
        Instant.ofEpochMilli(expiresAt),
        answer);
  }

  Status status() {
    return answer == null ? Status.PROCESSING : Status.of(answer.outcome());
  }

  // Compared by identity: a successor with equal values is another record.
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
