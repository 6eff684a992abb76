package dev.once.stores.tiered;

import dev.once.core.Answer;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What many systems do: Redis decides while it can be reached, and the database when it cannot. It
 * is here so that the test finds what is wrong with it.
 */
final class NaiveFallback extends ForwardingStore {

  private final Store redis;
  private final Map<Lease, Store> granters = new ConcurrentHashMap<>();

  NaiveFallback(Store redis, Store database) {
    super(database);
    this.redis = redis;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return redis
        .claim(request)
        .thenApply(claim -> noted(claim, redis))
        .exceptionallyCompose(
            failure -> store.claim(request).thenApply(claim -> noted(claim, store)));
  }

  private Claim noted(Claim claim, Store granter) {
    if (claim instanceof Claim.Granted granted) {
      granters.put(granted.lease(), granter);
    }
    return claim;
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return granters.get(lease).complete(lease, answer, retention);
  }

  @Override
  public void close() {
    redis.close();
    super.close();
  }
}
