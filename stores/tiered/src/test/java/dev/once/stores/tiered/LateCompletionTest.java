package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.OperationId;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** An owner that is stopped between the database's reply and the cache. Time stands still. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LateCompletionTest {

  private static final OperationId ID = new OperationId(Scope.GLOBAL, Key.of("key"));
  private static final Fingerprint ASKED = Fingerprint.of("one");
  private static final Answer ANSWER = Answer.success(201, Body.of("seven"));
  private static final Duration DAY = Duration.ofDays(1);

  private final ManualScheduler time = new ManualScheduler();
  private final CacheServer redis = new CacheServer(time);
  private final Store database = new MemoryStore(time, 1000, 1_000_000);

  /** Of a completion that the database has recorded. */
  private final CompletableFuture<Boolean> reply = new CompletableFuture<>();

  private final TieredStore stopped =
      storeOn(
          new ForwardingStore(database) {
            @Override
            public CompletionStage<Boolean> complete(
                Lease lease, Answer answer, Duration retention) {
              super.complete(lease, answer, retention);
              return reply;
            }
          });

  private TieredStore storeOn(Store behind) {
    return new TieredStore(behind, redis.client(), TieredSettings.forCache(), time);
  }

  private static ClaimRequest request(long token) {
    return new ClaimRequest(ID, ASKED, token, DAY, DAY, false);
  }

  private Lease finished() {
    Claim claim = stopped.claim(request(1)).toCompletableFuture().join();
    Lease lease = ((Claim.Granted) claim).lease();
    stopped.complete(lease, ANSWER, DAY);
    return lease;
  }

  @Test
  void does_not_bring_back_an_answer_that_a_person_has_released_meanwhile() {
    TieredStore other = storeOn(database);
    Lease lease = finished();
    other.inspection().forceRelease(ID, lease.fence()).toCompletableFuture().join();
    time.advance(Duration.ofMinutes(2));

    reply.complete(true);

    assertThat(other.claim(request(2)))
        .isCompletedWithValueMatching(Claim.Granted.class::isInstance);
  }

  @Test
  void puts_its_answer_into_the_cache_if_it_comes_soon() {
    TieredStore other = storeOn(database);
    finished();
    time.advance(Duration.ofSeconds(1));

    reply.complete(true);

    assertThat(redis.client().get(ID)).isCompletedWithValueMatching(value -> value.isPresent());
    assertThat(other.claim(request(2)))
        .isCompletedWithValueMatching(Claim.Finished.class::isInstance);
  }
}
