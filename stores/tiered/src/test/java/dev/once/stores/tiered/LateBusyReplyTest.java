package dev.once.stores.tiered;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The database's word that something runs comes late; meanwhile it ends. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LateBusyReplyTest {

  private static final OperationId ID = new OperationId(Scope.GLOBAL, Key.of("key"));
  private static final Duration DAY = Duration.ofDays(1);

  private final ManualScheduler time = new ManualScheduler();
  private final CacheServer redis = new CacheServer(time);
  private final Store database = new MemoryStore(time, 1000, 1_000_000);
  private final CompletableFuture<Claim> reply = new CompletableFuture<>();

  private TieredStore storeOn(Store behind) {
    return new TieredStore(behind, redis.client(), TieredSettings.forFallback(), time);
  }

  private static ClaimRequest request(long token) {
    return new ClaimRequest(ID, Fingerprint.of("one"), token, DAY, DAY, false);
  }

  /** Asks while it runs; the reply is under way for so long, and it ends at once. */
  private void busyHeardAfter(Duration late) {
    Claim granted = database.claim(request(1)).toCompletableFuture().join();
    Lease lease = ((Claim.Granted) granted).lease();
    TieredStore slow =
        storeOn(
            new ForwardingStore(database) {
              @Override
              public CompletionStage<Claim> claim(ClaimRequest request) {
                super.claim(request)
                    .thenAccept(said -> time.schedule(late, () -> reply.complete(said)));
                return reply;
              }
            });
    slow.claim(request(2));
    database.release(lease);
    time.advance(late);
    assertThat(reply).isCompletedWithValueMatching(Claim.Busy.class::isInstance);
  }

  @Test
  void the_cache_does_not_say_so_when_a_while_is_over_since_it_was_asked() {
    busyHeardAfter(Duration.ofMillis(900));
    time.advance(Duration.ofMillis(101));

    assertThat(storeOn(database).claim(request(3)))
        .isCompletedWithValueMatching(Claim.Granted.class::isInstance);
  }

  @Test
  void the_cache_says_so_for_what_is_left_of_that_while() {
    busyHeardAfter(Duration.ofMillis(900));
    time.advance(Duration.ofMillis(99));

    assertThat(storeOn(database).claim(request(3)))
        .isCompletedWithValueMatching(Claim.Busy.class::isInstance);
  }
}
