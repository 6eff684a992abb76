package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.core.store.spi.WaitingCaller;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store as callers see it that wait for each reply, and let it use their threads. */
final class WaitingStore extends ForwardingStore {

  WaitingStore(Store store) {
    super(store);
  }

  private static <T> CompletionStage<T> await(Supplier<CompletionStage<T>> step) {
    try {
      return CompletableFuture.completedFuture(WaitingCaller.await(Duration.ofMinutes(1), step));
    } catch (CompletionException e) {
      return CompletableFuture.failedFuture(e.getCause());
    }
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return await(() -> store.claim(request));
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return await(() -> store.complete(lease, answer, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return await(() -> store.release(lease));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return await(() -> store.renew(lease, length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return await(() -> store.purgeExpired(atMost));
  }
}
