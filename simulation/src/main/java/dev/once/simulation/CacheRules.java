package dev.once.simulation;

import static dev.once.simulation.Invariant.CACHE_FOLLOWS;
import static dev.once.simulation.Invariant.SAME_ANSWER;
import static dev.once.simulation.Invariant.TRUTH;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.simulation.CacheServer.Kept;
import dev.once.simulation.CacheServer.Known;
import dev.once.simulation.CacheValue.Rank;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a cache in front of the database may be told, and what it may say. What it may say though it
 * is not so any more is what {@code docs/decisions/0013-fallback.md} lists, and nothing else.
 */
final class CacheRules {

  private static final long MILLI = 1_000_000;

  /** What the database was asked longer ago is not put. */
  private static final long FRESH = 20_000 * MILLI;

  private final World world;
  private final CacheServer cache;
  private final Map<OperationId, Long> releasesAsked = new HashMap<>();

  CacheRules(World world, CacheServer cache) {
    this.world = world;
    this.cache = cache;
  }

  // What it is told.

  /** A process asks for a put, in the moment in which it gets a reply of the database. */
  CachePut asked(CacheLink by, OperationId id, CacheValue value, Duration life) {
    long now = world.queue.now();
    Link.Replying reply = world.replying;
    long sentAt = reply == null ? now : reply.sentAt();
    long saidAt = reply == null ? now : reply.takenAt();
    Grant of = grantOf(id, value.answer());
    long since = Math.min(by.heardAt(), of == null ? sentAt : Math.min(sentAt, of.answeredAt));
    long releases = value.rank() == Rank.RELEASED ? world.ledger.highestForced(id) : 0;
    releasesAsked.merge(id, releases, Math::max);
    NodeClock clock = by.caller().node().clock;
    CachePut put =
        new CachePut(id, value, life, saidAt, now, clock, now - since, by.clockLost(), releases);
    if (value.rank() == Rank.FINISHED) {
      checkAnswer(of, value, life, now - sentAt, put.slack());
    }
    return put;
  }

  private void checkAnswer(
      @Nullable Grant of, CacheValue value, Duration life, long age, long slack) {
    if (of == null) {
      world.violations.add(CACHE_FOLLOWS, "put " + value + ", which is not recorded");
      return;
    }
    world.violations.require(
        age <= FRESH + slack,
        CACHE_FOLLOWS,
        () -> "put " + value + ", which was asked for " + age / MILLI + " ms ago");
    boolean forgotten = of.forgottenAnswer != null;
    long left = keptUntil(of) - world.queue.now();
    world.violations.require(
        forgotten || life.toNanos() <= left + slack,
        CACHE_FOLLOWS,
        () -> "put " + value + " for " + life + ", and it is kept for " + left / MILLI + " ms");
    world.violations.require(
        life.compareTo(world.form.settings().longestStay()) <= 0,
        CACHE_FOLLOWS,
        () -> "put " + value + " for " + life);
  }

  /** When the record of an answer is over in true time, but for jumps ahead of its clock. */
  private long keptUntil(Grant grant) {
    long back = world.storeClock.lostMillis() - grant.lostAtAnswer;
    return grant.answeredAt + grant.keptFor.toNanos() + back * MILLI;
  }

  private @Nullable Grant grantOf(OperationId id, @Nullable Answer answer) {
    for (Grant grant : world.ledger.grants(id)) {
      if (answer != null && (answer.equals(grant.answer) || answer.equals(grant.forgottenAnswer))) {
        return grant;
      }
    }
    return null;
  }

  /** A person has released this by way of a tiered store. */
  void released(OperationId id, long fence) {
    world.violations.require(
        releasesAsked.getOrDefault(id, 0L) >= fence,
        CACHE_FOLLOWS,
        () -> id + ": released by a person, and the cache was not told");
  }

  // What it says.

  /** The cache gives this value; true if it is not so any more, and that is allowed. */
  boolean said(Kept kept) {
    return switch (kept.put().value().rank()) {
      case BUSY -> saidBusy(kept);
      case FINISHED -> saidFinished(kept);
      default -> false;
    };
  }

  /** At most {@code busyFor} after the database said so, and no longer than the lease. */
  private boolean saidBusy(Kept kept) {
    CachePut put = kept.put();
    Duration busyFor = world.form.settings().busyFor();
    Duration left = put.value().leaseRemaining();
    Duration most = left.compareTo(busyFor) < 0 ? left : busyFor;
    long age = world.queue.now() - put.saidAt();
    world.violations.require(
        age <= most.toNanos() + put.slack() + setBack(kept),
        TRUTH,
        () -> "cache: " + put.value() + ", which the database said " + age / MILLI + " ms ago");
    Known known = cache.known(put.id());
    world.violations.require(
        known.endUntil <= cache.clock.millis() || known.endAskedAt <= put.saidAt(),
        TRUTH,
        () -> "cache: " + put.value() + ", and it was told of the end");
    Grant current = world.ledger.current(put.id());
    boolean over =
        current == null
            || current.answer != null
            || current.isAbandoned(world.storeClock.trueMillis());
    return over && saw(Happening.CACHE_BUSY_AFTER_END);
  }

  private boolean saidFinished(Kept kept) {
    CachePut put = kept.put();
    Grant of = grantOf(put.id(), put.value().answer());
    if (of == null) {
      world.violations.add(SAME_ANSWER, "cache: " + put.value() + ", which was never recorded");
      return false;
    }
    if (of.forgottenAnswer != null) {
      return true; // The database has lost it, and the cache has not.
    }
    if (of.end == Grant.End.FORCED) {
      world.violations.require(
          cache.known(put.id()).released < of.fence,
          SAME_ANSWER,
          () -> "cache: " + put.value() + ", and it was told that a person released it");
      return saw(Happening.CACHE_RELEASED_ANSWER);
    }
    if (of.end == Grant.End.EXPIRED) {
      long beyond = world.queue.now() - keptUntil(of);
      world.violations.require(
          beyond <= put.slack() + setBack(kept),
          SAME_ANSWER,
          () -> "cache: " + put.value() + ", which expired " + beyond / MILLI + " ms ago");
      return saw(Happening.CACHE_BEYOND_EXPIRY);
    }
    return of.end != null;
  }

  private long setBack(Kept kept) {
    return (cache.clock.lostMillis() - kept.put().clockLost()) * MILLI;
  }

  private boolean saw(Happening happening) {
    world.coverage.saw(happening);
    return true;
  }
}
