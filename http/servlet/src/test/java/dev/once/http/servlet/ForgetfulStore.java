package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A real store that says of every answer that its lease is another's: nothing is ever recorded. */
final class ForgetfulStore implements Store {

  private final Store store = new MemoryStore();

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return CompletableFuture.completedStage(false);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return store.claim(request);
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return store.release(lease);
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return store.renew(lease, length);
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return store.purgeExpired(atMost);
  }

  @Override
  public StoreCapabilities capabilities() {
    return store.capabilities();
  }

  @Override
  public Inspection inspection() {
    return store.inspection();
  }

  @Override
  public void close() {
    store.close();
  }
}
