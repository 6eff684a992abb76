package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A real store that records when it is told to, and counts the ends that it is told of. */
final class SlowStore extends ForwardingStore {

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CompletableFuture<Void> gate = new CompletableFuture<>();
  private final AtomicInteger ends = new AtomicInteger();

  SlowStore() {
    super(new MemoryStore());
  }

  /** One that records at once. */
  static SlowStore recordingAtOnce() {
    SlowStore store = new SlowStore();
    store.record();
    return store;
  }

  /** Is down when there is something to record. */
  CountDownLatch asked() {
    return asked;
  }

  /** Lets it record. */
  void record() {
    gate.complete(null);
  }

  int ends() {
    return ends.get();
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    ends.incrementAndGet();
    asked.countDown();
    return gate.thenCompose(any -> super.complete(lease, answer, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    ends.incrementAndGet();
    asked.countDown();
    return gate.thenCompose(any -> super.release(lease));
  }
}
