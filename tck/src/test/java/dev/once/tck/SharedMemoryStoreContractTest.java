package dev.once.tck;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The parts of the contract that a memory store skips: those for stores that have handles, outlive
 * them, and are counted.
 */
class SharedMemoryStoreContractTest extends StoreContract {

  @Override
  protected StoreFixture open() {
    return new Fixture();
  }

  private static final class Fixture extends MemoryStoreFixture {
    private final AtomicLong roundTrips = new AtomicLong();
    private Store handle = new Handle(memory(), roundTrips);

    @Override
    public Store store() {
      return handle;
    }

    @Override
    public Store another() {
      return new Handle(memory(), roundTrips);
    }

    @Override
    public Store reopened() {
      handle.close();
      handle = another();
      return handle;
    }

    @Override
    public OptionalLong roundTrips() {
      return OptionalLong.of(roundTrips.get());
    }
  }

  /** A handle on data that outlives it; each step is a round trip. */
  private static final class Handle extends ForwardingStore {
    private final AtomicLong roundTrips;
    private volatile boolean closed;

    Handle(Store data, AtomicLong roundTrips) {
      super(data);
      this.roundTrips = roundTrips;
    }

    private <T> CompletionStage<T> trip(Supplier<CompletionStage<T>> step) {
      if (closed) {
        return CompletableFuture.failedFuture(new StoreClosedException("handle"));
      }
      roundTrips.incrementAndGet();
      return step.get();
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
      return trip(() -> super.claim(request));
    }

    @Override
    public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
      return trip(() -> super.complete(lease, answer, retention));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
      return trip(() -> super.release(lease));
    }

    @Override
    public CompletionStage<Boolean> withdraw(OperationId id, long token) {
      return trip(() -> super.withdraw(id, token));
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration length) {
      return trip(() -> super.renew(lease, length));
    }

    @Override
    public CompletionStage<Integer> purgeExpired(int atMost) {
      return trip(() -> super.purgeExpired(atMost));
    }

    @Override
    public Inspection inspection() {
      if (closed) {
        throw new StoreClosedException("handle");
      }
      return super.inspection();
    }

    @Override
    public Watch watch(OperationId id, Runnable wake) {
      return () -> {};
    }

    @Override
    public StoreCapabilities capabilities() {
      return new StoreCapabilities(true, true, false, false, super.capabilities().maxAnswerBytes());
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
