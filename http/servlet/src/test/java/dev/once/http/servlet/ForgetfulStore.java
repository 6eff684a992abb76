package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.store.ForwardingStore;
import dev.once.core.store.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A real store that says of every answer that its lease is another's: nothing is ever recorded. */
final class ForgetfulStore extends ForwardingStore {

  ForgetfulStore() {
    super(new MemoryStore());
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return CompletableFuture.completedStage(false);
  }
}
