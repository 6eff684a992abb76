package dev.once.core.store;

import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import java.time.Duration;

/**
 * Asking a store for the right to run an operation.
 *
 * @param token random, and the same in each try of one claim: lets the store recognise a claim that
 *     it granted while the reply was lost
 * @param lease how long the right lasts
 * @param retention how long the record is kept after the lease
 * @param takeover whether the right may be taken from an owner whose lease is over
 */
public record ClaimRequest(
    OperationId id,
    Fingerprint fingerprint,
    long token,
    Duration lease,
    Duration retention,
    boolean takeover) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(3650);

  public ClaimRequest {
    check("lease", lease);
    check("retention", retention);
  }

  /** The same claim, but it leaves an owner whose lease is over alone. */
  public ClaimRequest withoutTakeover() {
    return new ClaimRequest(id, fingerprint, token, lease, retention, false);
  }

  private static void check(String name, Duration value) {
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + SHORTEST + " to " + LONGEST + ")");
    }
  }
}
