package dev.once.stores.tiered;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A database whose steps are counted, and whose replies can get lost. */
final class CountingStore extends ForwardingStore {

  int steps;
  boolean losesReplies;
  boolean down;
  boolean refuses;

  CountingStore(Store store) {
    super(store);
  }

  private <T> CompletionStage<T> step(Supplier<CompletionStage<T>> step) {
    steps++;
    if (down) {
      return CompletableFuture.failedFuture(new StoreException("database: down", null));
    }
    if (refuses) {
      return CompletableFuture.failedFuture(new StepNotTakenException("database: refused"));
    }
    CompletionStage<T> reply = step.get();
    return losesReplies
        ? CompletableFuture.failedFuture(new StoreException("database: reply lost", null))
        : reply;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return step(() -> store.claim(request));
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return step(() -> store.complete(lease, answer, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return step(() -> store.release(lease));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return step(() -> store.withdraw(id, token));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return step(() -> store.renew(lease, length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return step(() -> store.purgeExpired(atMost));
  }
}
