package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The steps of a {@link MemoryStore} on the simulation's clock, correct or with one mistake. */
final class MutantStore {

  private final Mutant mutant;
  private final StoreClock clock;
  private final MemoryStore memory;

  /** Claims that have read and not yet written. */
  private final Set<ClaimRequest> reads = new HashSet<>();

  MutantStore(Mutant mutant, StoreClock clock) {
    this.mutant = mutant;
    this.clock = clock;
    this.memory = new MemoryStore(clock, 1_000, 1_000_000);
  }

  /** True if the claim is not one step, and its write is to come later. */
  boolean readsFirst(ClaimRequest request) {
    if (mutant != Mutant.CLAIM_AS_READ_THEN_WRITE) {
      return false;
    }
    boolean free = find(request.id()).map(record -> mayTakeOver(request, record)).orElse(true);
    return free && reads.add(request);
  }

  private boolean mayTakeOver(ClaimRequest request, OperationRecord record) {
    return record.status() == Status.PROCESSING
        && !record.leaseEnds().isAfter(clock.instant())
        && request.takeover()
        && record.fingerprint().equals(request.fingerprint());
  }

  Claim claim(ClaimRequest request, long nodeMillis) {
    if (reads.remove(request)) {
      find(request.id()).ifPresent(record -> forceRelease(request.id(), record.lease().fence()));
    }
    return byClock(nodeMillis, () -> now(memory.claim(request)));
  }

  boolean complete(Lease lease, Answer answer, Duration retention) {
    Lease asked = mutant == Mutant.NO_FENCE_ON_COMPLETE ? currentLease(lease) : lease;
    return now(memory.complete(asked, answer, retention));
  }

  boolean release(Lease lease) {
    return mutant == Mutant.RELEASE_WITHOUT_FENCE
        ? forceRelease(lease.id(), currentLease(lease).fence())
        : now(memory.release(lease));
  }

  boolean renew(Lease lease, Duration length, long nodeMillis) {
    return byClock(nodeMillis, () -> now(memory.renew(lease, length)));
  }

  int purgeExpired(int atMost) {
    return now(memory.purgeExpired(atMost));
  }

  boolean forceRelease(OperationId id, Fence seen) {
    return now(memory.forceRelease(id, seen));
  }

  Optional<OperationRecord> find(OperationId id) {
    return now(memory.find(id));
  }

  Store.Watch watch(OperationId id, Runnable wake) {
    return memory.watch(id, wake);
  }

  /** The caller does not learn whether its answer was recorded. */
  void recordingFailed(Lease lease) {
    if (mutant == Mutant.RECORD_DROPPED_WHEN_RECORDING_FAILS) {
      boolean unused = forceRelease(lease.id(), lease.fence());
    }
  }

  private Lease currentLease(Lease otherwise) {
    return find(otherwise.id()).map(OperationRecord::lease).orElse(otherwise);
  }

  private <T> T byClock(long nodeMillis, Supplier<T> step) {
    if (mutant == Mutant.LEASE_JUDGED_BY_NODE_CLOCK) {
      clock.replaceBy(nodeMillis);
    }
    try {
      return step.get();
    } finally {
      clock.restore();
    }
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
