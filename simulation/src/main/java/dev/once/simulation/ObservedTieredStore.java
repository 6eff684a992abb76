package dev.once.simulation;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A tiered store on its two links, as one process has it. It tells the store model which replies
 * the cache gave alone.
 */
final class ObservedTieredStore extends ForwardingStore {

  /** One try of a claim. */
  private static final class Try {
    boolean askedDatabase;
  }

  private final World world;
  private final Incarnation at;
  private final CacheLink cache;
  private final Map<Long, Try> tries;

  private ObservedTieredStore(
      World world, Incarnation at, Store tiered, CacheLink cache, Map<Long, Try> tries) {
    super(tiered);
    this.world = world;
    this.at = at;
    this.cache = cache;
    this.tries = tries;
  }

  /** The store of a process, of the kind that this world has. */
  static Store open(World world, CacheServer server, Incarnation at) {
    Map<Long, Try> tries = new HashMap<>();
    CacheLink cache = new CacheLink(world, server, at);
    MutantTieredStore mutant = new MutantTieredStore(world, cache);
    Store database = mutant.database(new ObservedDatabase(new Link(world, at), tries));
    Store tiered =
        world.storeKind.open(
            database,
            mutant.cache(),
            mutant.scheduler(at),
            () -> world.coverage.saw(Happening.CACHE_NO_REPLY));
    return new ObservedTieredStore(world, at, mutant.tiered(tiered), cache, tries);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    Call call = world.callOf(at, request);
    if (call != null && call.isOver()) {
      world.lateClaims.add(request.token());
    }
    Try current = new Try();
    tries.put(request.token(), current);
    return super.claim(request)
        .thenApply(
            reply -> {
              if (!current.askedDatabase) {
                answeredByCache(request, reply);
              }
              return reply;
            });
  }

  private void answeredByCache(ClaimRequest request, Claim reply) {
    world.storeModel.noteReply(at.node().number, request.id(), reply, cache.wasOutdated());
    Call call = world.calls.get(request.token());
    if (call != null) {
      world.callRules.answeredByCache(call);
    }
    world.coverage.saw(reply instanceof Claim.Busy ? Happening.CACHE_BUSY : Happening.CACHE_REPLAY);
    Grant current = world.storeModel.current(request.id());
    boolean own =
        current != null
            && current.answer == null
            && current.request.token() == request.token()
            && current.claimer.fault() != Fault.SECOND_COPY;
    world.violations.require(
        !own || !(reply instanceof Claim.Busy),
        Invariant.REPLIES_TRUE,
        () -> "cache: " + current + " is told that it is busy with itself");
  }

  /** The database. It notes which claims are asked of it. */
  private static final class ObservedDatabase extends ForwardingStore {
    private final Map<Long, Try> tries;

    ObservedDatabase(Store database, Map<Long, Try> tries) {
      super(database);
      this.tries = tries;
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
      Try current = tries.get(request.token());
      if (current != null) {
        current.askedDatabase = true;
      }
      return super.claim(request);
    }
  }
}
