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

  public ClaimRequest {
    check("lease", lease);
    check("retention", retention);
  }

  private static void check(String name, Duration value) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1 ms)");
    }
  }
}
