package dev.once.core.store;

import dev.once.core.Answer;
import dev.once.core.Fingerprint;
import dev.once.core.Outcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps of an operation, as people see it. All times are the store's.
 *
 * @param lease who owns it, or owned it last: operation, fence and attempt
 * @param requestedAt when the first owner claimed it: a takeover does not change it
 * @param leaseEnds when the owner's right ends or ended
 * @param answer null while processing
 * @param completedAt null while processing
 */
public record OperationRecord(
    Lease lease,
    Fingerprint fingerprint,
    Status status,
    Instant requestedAt,
    Instant leaseEnds,
    @Nullable Instant completedAt,
    Instant expiresAt,
    @Nullable Answer answer) {

  /** The state of a record. */
  public enum Status {
    PROCESSING,
    DONE,
    FAILED;

    /** The state of a record with an answer of this outcome. */
    public static Status of(Outcome outcome) {
      return outcome == Outcome.SUCCESS ? DONE : FAILED;
    }
  }

  /** How long the operation took; null while processing. */
  public @Nullable Duration duration() {
    return completedAt == null ? null : Duration.between(requestedAt, completedAt);
  }
}
