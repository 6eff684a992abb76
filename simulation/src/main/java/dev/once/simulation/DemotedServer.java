package dev.once.simulation;

import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.OperationRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A server that was the master: it replies what it knew then, and takes no writes. */
final class DemotedServer {

  private final Map<OperationId, OperationRecord> records = new HashMap<>();

  void add(OperationRecord record) {
    records.put(record.lease().id(), record);
  }

  Claim claim(ClaimRequest request, long now) {
    OperationRecord record = records.get(request.id());
    if (record == null || record.expiresAt().toEpochMilli() <= now) {
      throw new NotTakenException("read-only");
    }
    if (record.answer() != null) {
      return new Claim.Finished(record.fingerprint(), record.answer());
    }
    long left = record.leaseEnds().toEpochMilli() - now;
    if (left > 0) {
      return new Claim.Busy(record.fingerprint(), Duration.ofMillis(left));
    }
    if (request.takeover() && record.fingerprint().equals(request.fingerprint())) {
      throw new NotTakenException("read-only");
    }
    return new Claim.Abandoned(record.fingerprint(), record.lease().fence());
  }
}
