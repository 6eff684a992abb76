package dev.once.faults;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A store that several have a handle of: none of them closes it. */
class Shared implements Store {

  private final Store store;

  Shared(Store store) {
    this.store = store;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return store.claim(request);
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return store.complete(lease, answer, retention);
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
  public void close() {}
}
