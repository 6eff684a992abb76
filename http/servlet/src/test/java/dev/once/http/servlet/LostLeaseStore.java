package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A real store that says of every answer that its lease is another's: nothing is ever recorded. */
final class LostLeaseStore extends ForwardingStore {

  LostLeaseStore() {
    super(new MemoryStore());
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return CompletableFuture.completedStage(false);
  }
}
