package dev.once.stores.tiered;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Cache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A way to a cache on which puts are under way for long. */
class LatePuts implements Cache {

  private final Cache cache;
  private final List<Runnable> underWay = new ArrayList<>();

  LatePuts(Cache cache) {
    this.cache = cache;
  }

  void arrive() {
    underWay.forEach(Runnable::run);
    underWay.clear();
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationId id) {
    return cache.get(id);
  }

  @Override
  public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
    underWay.add(() -> cache.put(id, value, life));
    return new CompletableFuture<>();
  }

  @Override
  public void close() {
    cache.close();
  }
}
