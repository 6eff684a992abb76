package dev.once.simulation;

import static dev.once.simulation.Invariant.CACHE_PUTS_CORRECT;
import static dev.once.simulation.Invariant.REPLIES_TRUE;
import static dev.once.simulation.Invariant.SAME_ANSWER;

import dev.once.core.Answer;
import dev.once.core.OperationId;
import dev.once.simulation.CacheServer.KeyState;
import dev.once.simulation.CacheServer.StoredValue;
import dev.once.simulation.CacheValue.Rank;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What may be put into a cache in front of the database, and what it may reply. Which outdated
 * replies are allowed is listed in {@code docs/decisions/0013-fallback.md}.
 */
final class CacheRules {

  private static final long MILLI = 1_000_000;

  /** Older replies of the database are not put. */
  private static final long MAX_REPLY_AGE = 20_000 * MILLI;

  private final World world;
  private final CacheServer cache;
  private final Map<OperationId, Long> releasesPut = new HashMap<>();

  CacheRules(World world, CacheServer cache) {
    this.world = world;
    this.cache = cache;
  }

  // Puts.

  /** A process asks for a put, while it gets a reply of the database. */
  CachePut checkPut(CacheLink by, OperationId id, CacheValue value, Duration life) {
    long now = world.queue.now();
    Link.ReplyTimes reply = world.currentReply;
    long sentAt = reply == null ? now : reply.sentAt();
    long repliedAt = reply == null ? now : reply.takenAt();
    Grant of = grantOf(id, value.answer());
    long since = Math.min(by.clockReadAt(), of == null ? sentAt : Math.min(sentAt, of.answeredAt));
    long releases = value.rank() == Rank.RELEASED ? world.storeModel.highestForced(id) : 0;
    releasesPut.merge(id, releases, Math::max);
    NodeClock clock = by.caller().node().clock;
    CachePut put =
        new CachePut(
            id, value, life, repliedAt, now, clock, now - since, by.clockSetBack(), releases);
    if (value.rank() == Rank.FINISHED) {
      checkAnswer(of, value, life, now - sentAt, put.slack());
    }
    return put;
  }

  private void checkAnswer(
      @Nullable Grant of, CacheValue value, Duration life, long age, long slack) {
    if (of == null) {
      world.violations.add(CACHE_PUTS_CORRECT, "put " + value + ", which is not recorded");
      return;
    }
    world.violations.require(
        age <= MAX_REPLY_AGE + slack,
        CACHE_PUTS_CORRECT,
        () -> "put " + value + ", which was asked for " + age / MILLI + " ms ago");
    boolean forgotten = of.forgottenAnswer != null;
    long left = expiresAt(of) - world.queue.now();
    world.violations.require(
        forgotten || life.toNanos() <= left + slack,
        CACHE_PUTS_CORRECT,
        () -> "put " + value + " for " + life + ", and it is kept for " + left / MILLI + " ms");
    world.violations.require(
        life.compareTo(world.storeKind.settings().longestStay()) <= 0,
        CACHE_PUTS_CORRECT,
        () -> "put " + value + " for " + life);
  }

  /** When the record of an answer expires, in true time, without the jumps ahead of its clock. */
  private long expiresAt(Grant grant) {
    long back = world.storeClock.setBackMillis() - grant.setBackAtAnswer;
    return grant.answeredAt + grant.keptFor.toNanos() + back * MILLI;
  }

  private @Nullable Grant grantOf(OperationId id, @Nullable Answer answer) {
    for (Grant grant : world.storeModel.grants(id)) {
      if (answer != null && (answer.equals(grant.answer) || answer.equals(grant.forgottenAnswer))) {
        return grant;
      }
    }
    return null;
  }

  /** A person has released this through a tiered store. */
  void released(OperationId id, long fence) {
    world.violations.require(
        releasesPut.getOrDefault(id, 0L) >= fence,
        CACHE_PUTS_CORRECT,
        () -> id + ": released by a person, and the cache was not told");
  }

  // Replies.

  /** The cache replies this value. Returns whether it is outdated, in a way that is allowed. */
  boolean checkReply(StoredValue stored) {
    return switch (stored.put().value().rank()) {
      case BUSY -> checkBusy(stored);
      case FINISHED -> checkFinished(stored);
      default -> false;
    };
  }

  /** At most {@code busyFor} after the database said so, and no longer than the lease. */
  private boolean checkBusy(StoredValue stored) {
    CachePut put = stored.put();
    Duration busyFor = world.storeKind.settings().busyFor();
    Duration left = put.value().leaseRemaining();
    Duration most = left.compareTo(busyFor) < 0 ? left : busyFor;
    long age = world.queue.now() - put.repliedAt();
    world.violations.require(
        age <= most.toNanos() + put.slack() + setBackSince(stored),
        REPLIES_TRUE,
        () -> "cache: " + put.value() + ", which the database said " + age / MILLI + " ms ago");
    KeyState keyState = cache.keyState(put.id());
    world.violations.require(
        keyState.endUntil <= cache.clock.millis() || keyState.endAskedAt <= put.repliedAt(),
        REPLIES_TRUE,
        () -> "cache: " + put.value() + ", and it was told of the end");
    Grant current = world.storeModel.current(put.id());
    boolean over =
        current == null
            || current.answer != null
            || current.isAbandoned(world.storeClock.trueMillis());
    return over && saw(Happening.CACHE_BUSY_AFTER_END);
  }

  private boolean checkFinished(StoredValue stored) {
    CachePut put = stored.put();
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
          cache.keyState(put.id()).released < of.fence,
          SAME_ANSWER,
          () -> "cache: " + put.value() + ", and it was told that a person released it");
      return saw(Happening.CACHE_RELEASED_ANSWER);
    }
    if (of.end == Grant.End.EXPIRED) {
      long beyond = world.queue.now() - expiresAt(of);
      world.violations.require(
          beyond <= put.slack() + setBackSince(stored),
          SAME_ANSWER,
          () -> "cache: " + put.value() + ", which expired " + beyond / MILLI + " ms ago");
      return saw(Happening.CACHE_BEYOND_EXPIRY);
    }
    return of.end != null;
  }

  private long setBackSince(StoredValue stored) {
    return (cache.clock.setBackMillis() - stored.put().clockSetBack()) * MILLI;
  }

  private boolean saw(Happening happening) {
    world.coverage.saw(happening);
    return true;
  }
}
