package dev.once.simulation;

import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Store;
import dev.once.core.store.spi.ForwardingStore;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A tiered store on its two links, as one process has it: it tells the ledger of the replies that
 * the cache gave alone.
 */
final class Tiers extends ForwardingStore {

  /** One try of a claim. */
  private static final class Try {
    boolean askedDatabase;
  }

  private final World world;
  private final Incarnation at;
  private final CacheLink cache;
  private final Map<Long, Try> tries;

  private Tiers(World world, Incarnation at, Store tiered, CacheLink cache, Map<Long, Try> tries) {
    super(tiered);
    this.world = world;
    this.at = at;
    this.cache = cache;
    this.tries = tries;
  }

  /** The store of a process, in the form that this world has. */
  static Store open(World world, CacheServer server, Incarnation at) {
    Map<Long, Try> tries = new HashMap<>();
    CacheLink cache = new CacheLink(world, server, at);
    MutantTiers mutant = new MutantTiers(world, cache);
    Store database = mutant.database(new Watched(new Link(world, at), tries));
    Store tiered =
        world.form.open(
            database,
            mutant.cache(),
            mutant.scheduler(at),
            () -> world.coverage.saw(Happening.CACHE_NO_REPLY));
    return new Tiers(world, at, mutant.tiered(tiered), cache, tries);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    Call call = world.callOf(at, request);
    if (call != null && call.isOver()) {
      world.askedLate.add(request.token());
    }
    Try current = new Try();
    tries.put(request.token(), current);
    return super.claim(request)
        .thenApply(
            reply -> {
              if (!current.askedDatabase) {
                saidByCache(request, reply);
              }
              return reply;
            });
  }

  private void saidByCache(ClaimRequest request, Claim reply) {
    world.ledger.told(at.node().number, request.id(), reply, cache.saidOld());
    Call call = world.calls.get(request.token());
    if (call != null) {
      world.callRules.saidByCache(call);
    }
    world.coverage.saw(reply instanceof Claim.Busy ? Happening.CACHE_BUSY : Happening.CACHE_REPLAY);
    Grant current = world.ledger.current(request.id());
    boolean own =
        current != null
            && current.answer == null
            && current.request.token() == request.token()
            && current.claimer.fault() != Fault.COPY;
    world.violations.require(
        !own || !(reply instanceof Claim.Busy),
        Invariant.TRUTH,
        () -> "cache: " + current + " is told that it is busy with itself");
  }

  /** The database, on which it is seen who asks it. */
  private static final class Watched extends ForwardingStore {
    private final Map<Long, Try> tries;

    Watched(Store database, Map<Long, Try> tries) {
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
