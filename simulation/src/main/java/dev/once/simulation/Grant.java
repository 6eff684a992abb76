package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.store.ClaimRequest;
import org.jspecify.annotations.Nullable;

/** One grant of an operation and what became of it, as far as it was lawful. */
final class Grant {

  /** How a record came to be no longer this grant's. */
  enum End {
    RELEASED,
    FORCED,
    EXPIRED,
    TAKEN_OVER,
    /** Another grant was given when none was due. */
    UNLAWFUL
  }

  final ClaimRequest request;
  final long fence;
  final int attempt;
  long leaseEnds;
  long expiresAt;
  @Nullable Answer answer;
  @Nullable Run run;
  @Nullable End end;

  /** How long the history was when it ended. */
  int endLine;

  Grant(ClaimRequest request, long fence, int attempt, long now) {
    this.request = request;
    this.fence = fence;
    this.attempt = attempt;
    this.leaseEnds = now + request.lease().toMillis();
    this.expiresAt = leaseEnds + request.retention().toMillis();
  }

  boolean isAbandoned(long now) {
    return end == null && answer == null && leaseEnds <= now;
  }

  /** Whether its record was there at that time or later. */
  boolean wasKeptSince(int line, long millis) {
    return end == null || (end == End.EXPIRED ? expiresAt > millis : endLine >= line);
  }
}
