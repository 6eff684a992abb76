package dev.once.core.store.spi;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A store that does what another does, except for what a subclass changes. */
public abstract class ForwardingStore implements Store {

  protected final Store store;

  protected ForwardingStore(Store store) {
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
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return store.withdraw(id, token);
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
  public Watch watch(OperationId id, Runnable wake) {
    return store.watch(id, wake);
  }

  @Override
  public void close() {
    store.close();
  }
}
