package dev.once.stores.tiered;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.spi.Scheduler;
import dev.once.core.store.Cache;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreClosedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database with a cache in front of it. The database decides; the cache saves round trips.
 *
 * <p><strong>Every grant is the database's.</strong> The cache is trusted for two things only: a
 * finished answer, which never changes, and that an operation was running a moment ago. So a lost,
 * empty or outdated cache costs speed and grants nothing.
 *
 * <ol>
 *   <li>Claim: look into the cache. Finished is the reply. Busy is the reply, unless this claim was
 *       tried before: then it may be about itself; or it is known here that the operation has
 *       ended. Anything else, and no reply in time: claim in the database, and let the cache know
 *       what it said about others.
 *   <li>Complete: in the database; then the answer is put into the cache, if it is certain to be
 *       the recorded one.
 *   <li>Release, and withdrawal of a claim: in the database; then the cache is told that it is
 *       free.
 *   <li>Forced release: in the database; then the cache is told to forget the answer, and for a
 *       while to take no other.
 *   <li>All else: the database.
 * </ol>
 *
 * <p>Puts may arrive late and in any order: of two values the cache keeps the one of the higher
 * rank, and then the one that lives longer. What a cache can do wrong in spite of that, and for how
 * long, is in {@code docs/decisions/0013-fallback.md}.
 */
public final class TieredStore implements Store, Inspection {

  private static final Logger log = LoggerFactory.getLogger(TieredStore.class);

  /** Twice as long as what was read before a release may take to be put: see {@link #FRESH}. */
  private static final Duration RELEASED_FOR = Duration.ofMinutes(1);

  /**
   * What was asked longer ago is not put; and a put arrives within {@link Cache#LATEST}, or not.
   */
  private static final Duration FRESH = Duration.ofSeconds(20);

  private static final int REMEMBERED = 10_000;

  private final Store database;
  private final GuardedCache cache;
  private final Scheduler scheduler;
  private final Duration busyFor;
  private final Duration longestStay;

  final OwnClaims claims = new OwnClaims();

  /** Operations that have ended, as was seen here: the cache may not have been told yet. */
  private final BoundedMap<OperationId, Boolean> ended = new BoundedMap<>(REMEMBERED);

  private final BoundedMap<Lease, OpenLease> leases = new BoundedMap<>(REMEMBERED);
  private volatile boolean closed;

  TieredStore(Store database, Cache cache, TieredSettings settings, Scheduler scheduler) {
    this.database = database;
    this.scheduler = scheduler;
    this.cache = new GuardedCache(cache, settings, scheduler);
    this.busyFor = settings.busyFor();
    this.longestStay = settings.longestStay();
  }

  /** A database with a replay cache in front of it. Closing the store closes both. */
  public static TieredStore cached(Store database, Cache cache) {
    return cached(database, cache, TieredSettings.forCache());
  }

  public static TieredStore cached(Store database, Cache cache, TieredSettings settings) {
    return cached(database, cache, settings, new Timers());
  }

  /** With time limits and elapsed time of the caller's, who closes them: for a simulation. */
  public static TieredStore cached(
      Store database, Cache cache, TieredSettings settings, Scheduler scheduler) {
    return new TieredStore(database, cache, settings, scheduler);
  }

  /**
   * A cache that answers retries and duplicates for as long as it is there, with a database behind
   * it that grants, and answers everything when it is not. Closing the store closes both. As in
   * {@link #cached}, the database comes first: it decides.
   */
  public static TieredStore fallback(Store database, Cache cache) {
    return fallback(database, cache, TieredSettings.forFallback());
  }

  public static TieredStore fallback(Store database, Cache cache, TieredSettings settings) {
    return fallback(database, cache, settings, new Timers());
  }

  /** With time limits and elapsed time of the caller's, who closes them: for a simulation. */
  public static TieredStore fallback(
      Store database, Cache cache, TieredSettings settings, Scheduler scheduler) {
    return new TieredStore(database, cache, settings, scheduler);
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return open(
        () ->
            cache
                .get(request.id())
                .thenCompose(
                    known ->
                        known
                            .filter(entry -> fromCache(entry, request))
                            .flatMap(CacheEntry::reply)
                            .<CompletionStage<Claim>>map(reply -> completedFuture(reply))
                            .orElseGet(() -> claimInDatabase(request))));
  }

  private boolean fromCache(CacheEntry entry, ClaimRequest request) {
    return !(entry instanceof CacheEntry.Busy)
        || (!claims.has(request.token()) && ended.get(request.id()) == null);
  }

  private CompletionStage<Claim> claimInDatabase(ClaimRequest request) {
    long sent = scheduler.nanoTime();
    claims.asked(request.token(), request.lease(), sent);
    return database
        .claim(request)
        .whenComplete(
            (claim, failure) -> {
              if (failure == null) {
                remember(request, claim, since(sent));
              } else if (isNotTaken(failure)) {
                claims.notGranted(request.token());
              }
            });
  }

  private static boolean isNotTaken(Throwable failure) {
    return failure instanceof StepNotTakenException
        || failure.getCause() instanceof StepNotTakenException;
  }

  private Duration since(long nanoTime) {
    return Duration.ofNanos(scheduler.nanoTime() - nanoTime);
  }

  private void remember(ClaimRequest request, Claim claim, Duration taken) {
    if (claim instanceof Claim.Granted granted) {
      leases.putIfAbsent(granted.lease(), new OpenLease(request.token(), request.fingerprint()));
      return;
    }
    claims.notGranted(request.token());
    if (taken.compareTo(FRESH) > 0) {
      return;
    }
    if (claim instanceof Claim.Finished finished) {
      cache.put(
          request.id(),
          new CacheEntry.Finished(finished.fingerprint(), finished.answer()),
          finished.remaining().minus(taken));
    } else if (claim instanceof Claim.Busy busy && marksBusy()) {
      Duration left = busy.leaseRemaining();
      cache.put(
          request.id(),
          new CacheEntry.Busy(busy.fingerprint(), left),
          (left.compareTo(busyFor) < 0 ? left : busyFor).minus(taken));
    }
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    return open(
        () -> {
          OpenLease known = leases.get(lease);
          long sent = scheduler.nanoTime();
          if (known != null) {
            known.offer(answer, retention, sent);
          }
          return database
              .complete(lease, answer, retention)
              .thenCompose(recorded -> answered(lease, known, recorded, since(sent)));
        });
  }

  private CompletionStage<Boolean> answered(
      Lease lease, @Nullable OpenLease known, boolean recorded, Duration taken) {
    forget(lease);
    if (!recorded) {
      return completedFuture(false);
    }
    Optional<CacheEntry> answer = known == null ? Optional.empty() : known.recorded();
    if (known == null || answer.isEmpty() || taken.compareTo(FRESH) > 0) {
      return told(lease.id(), new CacheEntry.Free(), busyFor, true);
    }
    return told(lease.id(), answer.get(), known.remaining(scheduler.nanoTime()), true);
  }

  private void forget(Lease lease) {
    OpenLease known = leases.remove(lease);
    if (known != null) {
      claims.forget(known.token());
    }
  }

  /** Whoever was told that it runs must be told that it does not, before anybody else can ask. */
  private <T> CompletionStage<T> told(OperationId id, CacheEntry entry, Duration life, T reply) {
    ended.putIfAbsent(id, true);
    CompletionStage<Boolean> put = cache.put(id, entry, life);
    return marksBusy() ? put.thenApply(done -> reply) : completedFuture(reply);
  }

  private boolean marksBusy() {
    return !busyFor.isZero();
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return open(
        () ->
            database
                .release(lease)
                .thenCompose(
                    released -> {
                      forget(lease);
                      return released
                          ? told(lease.id(), new CacheEntry.Free(), busyFor, true)
                          : completedFuture(false);
                    }));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return open(
        () -> {
          claims.forget(token); // it is not made again
          return database
              .withdraw(id, token)
              .thenCompose(
                  withdrawn ->
                      withdrawn
                          ? told(id, new CacheEntry.Free(), busyFor, true)
                          : completedFuture(false));
        });
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return open(() -> database.renew(lease, length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return open(() -> database.purgeExpired(atMost));
  }

  /** The database's, but for a record that commits with the application's own write. */
  @Override
  public StoreCapabilities capabilities() {
    StoreCapabilities its = database.capabilities();
    return new StoreCapabilities(
        its.durable(), its.shared(), its.wakeUp(), false, its.maxAnswerBytes());
  }

  @Override
  public Inspection inspection() {
    return this;
  }

  @Override
  public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
    return open(() -> database.inspection().find(id));
  }

  @Override
  public CompletionStage<Counts> count() {
    return open(() -> database.inspection().count());
  }

  /** Tells the cache whatever the database said: to release again is to tell the cache again. */
  @Override
  public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
    return open(
        () -> {
          CompletionStage<Boolean> released = database.inspection().forceRelease(id, seen);
          return released
              .handle(
                  (any, failure) -> cache.putForPerson(id, new CacheEntry.Released(), RELEASED_FOR))
              .thenCompose(Function.identity())
              .thenCompose(
                  told -> {
                    if (!told) {
                      log.warn(
                          "{}: the cache could not be told of the release, and may replay the"
                              + " released answer for {}; release it again",
                          id,
                          longestStay);
                    }
                    return released;
                  });
        });
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return database.watch(
        id,
        () -> {
          ended.putIfAbsent(id, true);
          wake.run();
        });
  }

  private <T> CompletionStage<T> open(Supplier<CompletionStage<T>> step) {
    return closed ? failedFuture(new StoreClosedException("tiered store")) : step.get();
  }

  @Override
  public void close() {
    closed = true;
    try {
      cache.close();
    } finally {
      database.close();
      if (scheduler instanceof Timers own) {
        own.close();
      }
    }
  }
}
