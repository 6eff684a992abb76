package dev.once.tck;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A store that does what another does, except for what a subclass changes. */
class ForwardingStore implements Store {

  final Store delegate;

  ForwardingStore(Store delegate) {
    this.delegate = delegate;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return delegate.claim(request);
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return delegate.complete(lease, answer, retention);
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return delegate.release(lease);
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return delegate.renew(lease, length);
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return delegate.purgeExpired(atMost);
  }

  @Override
  public StoreCapabilities capabilities() {
    return delegate.capabilities();
  }

  @Override
  public Inspection inspection() {
    return delegate.inspection();
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return delegate.watch(id, wake);
  }

  @Override
  public void close() {
    delegate.close();
  }
}
