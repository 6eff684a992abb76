package dev.once.simulation;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.Cache;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.simulation.CacheValue.Rank;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Wrappers around a correct tiered store that add one mistake. */
final class MutantTieredStore {

  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
  private static final long MAX_REPLY_AGE = Duration.ofSeconds(20).toNanos();

  private final World world;
  private final Mutant mutant;
  private final Cache link;

  /** The token that the database sees, by the one that the tiered store sees. */
  private final Map<Long, Long> tokens = new HashMap<>();

  private CompletionStage<Boolean> completing = completedFuture(false);
  private long lastNumber = 1L << 40;

  MutantTieredStore(World world, Cache link) {
    this.world = world;
    this.mutant = world.mutant;
    this.link = link;
  }

  /** The database, as the tiered store sees it. */
  Store database(Store database) {
    return switch (mutant) {
      case ANSWER_PUT_UNRECORDED ->
          new ForwardingStore(database) {
            @Override
            public CompletionStage<Boolean> complete(
                Lease lease, Answer answer, Duration retention) {
              completing = super.complete(lease, answer, retention);
              return completedFuture(true);
            }
          };
      case OWN_CLAIM_CALLED_BUSY ->
          new ForwardingStore(database) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
              long token = tokens.getOrDefault(request.token(), request.token());
              return super.claim(withToken(request, token));
            }
          };
      default -> database;
    };
  }

  /** The tiered store, as the engine sees it. */
  Store tiered(Store tiered) {
    return switch (mutant) {
      case ANSWER_PUT_UNRECORDED ->
          new ForwardingStore(tiered) {
            @Override
            public CompletionStage<Boolean> complete(
                Lease lease, Answer answer, Duration retention) {
              CompletionStage<Boolean> unused = super.complete(lease, answer, retention);
              return completing;
            }
          };
      case OWN_CLAIM_CALLED_BUSY ->
          new ForwardingStore(tiered) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
              tokens.put(++lastNumber, request.token());
              return super.claim(withToken(request, lastNumber));
            }
          };
      case GRANTED_BY_CACHE ->
          new ForwardingStore(tiered) {
            @Override
            public CompletionStage<Claim> claim(ClaimRequest request) {
              return link.get(request.id())
                  .thenCompose(
                      value ->
                          value.isEmpty()
                              ? completedFuture(
                                  new Claim.Granted(
                                      new Lease(request.id(), new Fence(++lastNumber), 1)))
                              : super.claim(request));
            }
          };
      default -> tiered;
    };
  }

  private static ClaimRequest withToken(ClaimRequest request, long token) {
    return new ClaimRequest(
        request.id(),
        request.fingerprint(),
        token,
        request.lease(),
        request.retention(),
        request.takeover());
  }

  /** The cache, as the tiered store sees it. */
  Cache cache() {
    return switch (mutant) {
      case ANSWER_PUT_BEYOND_EXPIRY -> withLife(Rank.FINISHED, TEN_MINUTES);
      case BUSY_MARK_STAYS -> withLife(Rank.BUSY, TEN_MINUTES);
      case RELEASE_NOT_TOLD -> withLife(Rank.RELEASED, Duration.ZERO);
      default -> link;
    };
  }

  private Cache withLife(Rank rank, Duration replacement) {
    return new Cache() {
      @Override
      public CompletionStage<Optional<Bytes>> get(OperationId id) {
        return link.get(id);
      }

      @Override
      public CompletionStage<Void> put(OperationId id, Bytes value, Duration life) {
        boolean affected = CacheValue.of(value).rank() == rank;
        return affected && replacement.isZero()
            ? CompletableFuture.<Void>completedFuture(null)
            : link.put(id, value, affected ? replacement : life);
      }

      @Override
      public void close() {
        link.close();
      }
    };
  }

  /** Time, as the tiered store sees it: a mutant believes of every reply that it is fresh. */
  Scheduler scheduler(Scheduler scheduler) {
    if (mutant != Mutant.OLD_ANSWER_PUT) {
      return scheduler;
    }
    return new Scheduler() {
      @Override
      public Timer schedule(Duration delay, Runnable task) {
        return scheduler.schedule(delay, task);
      }

      @Override
      public long nanoTime() {
        Link.ReplyTimes reply = world.currentReply;
        long age = reply == null ? 0 : world.queue.now() - reply.sentAt();
        return scheduler.nanoTime() - (age > MAX_REPLY_AGE / 2 ? age : 0);
      }
    };
  }
}
