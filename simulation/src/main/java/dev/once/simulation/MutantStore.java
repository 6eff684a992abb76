package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** The steps of a {@link MemoryStore} on the simulation's clock, correct or with one mistake. */
final class MutantStore {

  /** A claim that nobody runs, made only to raise the fence. */
  private static final ClaimRequest FENCE_CLAIM =
      new ClaimRequest(
          new OperationId(Scope.GLOBAL, Key.of("key-of-nobody-0000")),
          Fingerprint.of("nothing"),
          0,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          false);

  private final Mutant mutant;
  private final StoreClock clock;
  private final EventQueue queue;
  private final Journal journal = new Journal();
  private MemoryStore memory;
  private long highestFence;

  /** Claims that have read and not yet written. */
  private final Set<ClaimRequest> reads = new HashSet<>();

  MutantStore(Mutant mutant, StoreClock clock, EventQueue queue) {
    this.mutant = mutant;
    this.clock = clock;
    this.queue = queue;
    this.memory = empty();
  }

  private MemoryStore empty() {
    return new MemoryStore(clock, 1_000, 1_000_000);
  }

  /**
   * Loses what was written since then, as a replica that becomes the master: it takes all earlier
   * steps again. But no fence is given twice: a store that can lose writes takes them from a clock,
   * or has its writes confirmed.
   */
  void loseWritesSince(long nanos) {
    memory = empty();
    journal.keepUntil(nanos);
    journal.replay(clock, memory);
    long highest = highestFence;
    step(it -> raiseFences(it, highest));
  }

  private static boolean raiseFences(MemoryStore memory, long highest) {
    Claim claim;
    do {
      claim = now(memory.claim(FENCE_CLAIM));
      boolean unused = now(memory.withdraw(FENCE_CLAIM.id(), FENCE_CLAIM.token()));
    } while (((Claim.Granted) claim).lease().fence().value() < highest);
    return true;
  }

  /** Takes a step, and remembers it. */
  private <T> T step(Function<MemoryStore, T> step) {
    journal.add(queue.now(), clock.millis(), step);
    return step.apply(memory);
  }

  /** Whether this claim only reads now, and writes later: one of the mistakes. */
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
    Claim claim = byClock(nodeMillis, () -> step(it -> now(it.claim(request))));
    if (claim instanceof Claim.Granted granted) {
      highestFence = Math.max(highestFence, granted.lease().fence().value());
    }
    return claim;
  }

  boolean complete(Lease lease, Answer answer, Duration retention) {
    Lease asked = mutant == Mutant.NO_FENCE_ON_COMPLETE ? currentLease(lease) : lease;
    return step(it -> now(it.complete(asked, answer, retention)));
  }

  boolean release(Lease lease) {
    return mutant == Mutant.RELEASE_WITHOUT_FENCE
        ? forceRelease(lease.id(), currentLease(lease).fence())
        : step(it -> now(it.release(lease)));
  }

  boolean withdraw(OperationId id, long token) {
    return mutant == Mutant.WITHDRAW_WITHOUT_TOKEN
        ? find(id)
            .filter(record -> record.status() == Status.PROCESSING)
            .map(record -> step(it -> now(it.release(record.lease()))))
            .orElse(false)
        : step(it -> now(it.withdraw(id, token)));
  }

  boolean renew(Lease lease, Duration length, long nodeMillis) {
    return byClock(nodeMillis, () -> step(it -> now(it.renew(lease, length))));
  }

  int purgeExpired(int atMost) {
    return step(it -> now(it.purgeExpired(atMost)));
  }

  boolean forceRelease(OperationId id, Fence seen) {
    return step(it -> now(it.forceRelease(id, seen)));
  }

  Optional<OperationRecord> find(OperationId id) {
    return now(memory.find(id));
  }

  Store.Watch watch(OperationId id, Runnable wake) {
    return memory.watch(id, wake);
  }

  /** A recording fails, or its reply is lost. */
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
