package dev.once.stores.tiered;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** A database of which is counted how often it has to replay. */
final class ObservedStore extends ForwardingStore {

  private final AtomicLong replays;

  ObservedStore(Store store, AtomicLong replays) {
    super(store);
    this.replays = replays;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return super.claim(request)
        .thenApply(
            claim -> {
              if (claim instanceof Claim.Finished) {
                replays.incrementAndGet();
              }
              return claim;
            });
  }
}
