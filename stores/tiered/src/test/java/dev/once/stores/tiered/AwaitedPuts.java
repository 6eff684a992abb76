package dev.once.stores.tiered;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A cache whose puts can be waited for, also those that a store does not wait for. */
final class AwaitedPuts implements Cache {

  private final Cache cache;
  private final Queue<CompletionStage<Void>> underWay = new ConcurrentLinkedQueue<>();

  AwaitedPuts(Cache cache) {
    this.cache = cache;
  }

  /** Returns when all that was put has arrived. */
  void await() {
    for (CompletionStage<Void> put = underWay.poll(); put != null; put = underWay.poll()) {
      put.toCompletableFuture().join();
    }
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return cache.get(id);
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    CompletionStage<Void> put = cache.put(id, value, life);
    underWay.add(put);
    return put;
  }

  @Override
  public void close() {
    cache.close();
  }
}
