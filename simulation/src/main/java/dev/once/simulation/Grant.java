package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.store.ClaimRequest;
import dev.once.simulation.StoreServer.Origin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One granted claim of an operation, and what became of it as far as that was allowed. */
final class Grant {

  /** Why this grant does not own the record any more. */
  enum End {
    RELEASED,
    WITHDRAWN,
    FORCED,
    EXPIRED,
    TAKEN_OVER,
    /** The store lost its last writes. */
    FORGOTTEN,
    /** Another claim was granted, which was not allowed. */
    NOT_ALLOWED
  }

  final ClaimRequest request;
  final Origin claimer;
  final long fence;
  final int attempt;
  long leaseEnds;
  long expiresAt;
  @Nullable Answer answer;

  // When the answer was recorded, in true time; for how long; how far the clock was set back then.
  long answeredAt;
  Duration keptFor = Duration.ZERO;
  long setBackAtAnswer;

  @Nullable Run run;

  /** The answer that the store has lost since; null if none. */
  @Nullable Answer forgottenAnswer;

  /** It had ended, and then the store forgot that. */
  boolean revived;

  @Nullable End end;

  /** How long the history was when it ended. */
  int endLine;

  Grant(ClaimRequest request, Origin claimer, long fence, int attempt, long now) {
    this.request = request;
    this.claimer = claimer;
    this.fence = fence;
    this.attempt = attempt;
    this.leaseEnds = now + request.lease().toMillis();
    this.expiresAt = leaseEnds + request.retention().toMillis();
  }

  /**
   * Whether its record is there, nobody runs it, and the process that claimed could withdraw it.
   */
  boolean isOrphan() {
    Incarnation process = claimer.caller();
    return end == null
        && answer == null
        && run == null
        && process.isAlive()
        && !process.isClosed()
        && !revived
        && claimer.fault() != Fault.SECOND_COPY;
  }

  boolean isAbandoned(long now) {
    return end == null && answer == null && leaseEnds <= now;
  }

  @Override
  public String toString() {
    String how = claimer.fault().label();
    return request.id() + " #" + fence + (how.isEmpty() ? "" : " (" + how + ")");
  }

  /** Whether its record was there at that time or later. */
  boolean wasKeptSince(int line, long millis) {
    return end == null || (end == End.EXPIRED ? expiresAt > millis : endLine >= line);
  }
}
