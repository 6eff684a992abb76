package dev.once.stores.tiered;

import dev.once.core.Answer;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the database holds, and has held: whatever a node says is compared with it.
 *
 * <ul>
 *   <li>A grant is one that the database made, for this claim.
 *   <li>An answer is the recorded one; or was, until a moment ago; or was until a person released
 *       it, of which the cache was not told.
 *   <li>What is busy runs, or ran a moment ago.
 *   <li>What is abandoned is so.
 * </ul>
 */
final class DatabaseHistory {

  /** An answer that was recorded, and since when it is not there any more. */
  private static final class Past {
    final Fingerprint fingerprint;
    Instant lastThere;
    boolean released;
    boolean cacheWasTold;

    Past(Fingerprint fingerprint, Instant lastThere) {
      this.fingerprint = fingerprint;
      this.lastThere = lastThere;
    }
  }

  private final Store database;
  private final InstantSource clock;
  private final TieredSettings settings;
  private final List<OperationId> ids;
  private final Map<OperationId, Map<Answer, Past>> answers = new HashMap<>();
  private final Map<OperationId, Instant> lastRunning = new HashMap<>();
  private final Map<Long, Lease> grants = new HashMap<>();

  DatabaseHistory(
      Store database, InstantSource clock, TieredSettings settings, List<OperationId> ids) {
    this.database = database;
    this.clock = clock;
    this.settings = settings;
    this.ids = ids;
  }

  /** To be called before and after whatever may change the database or its clock. */
  void observe() {
    ids.forEach(this::observe);
  }

  private void observe(OperationId id) {
    Instant now = clock.instant();
    Map<Answer, Past> known = answers.computeIfAbsent(id, any -> new HashMap<>());
    OperationRecord record = record(id);
    if (record == null) {
      return;
    }
    if (record.answer() == null) {
      if (record.leaseEnds().isAfter(now)) {
        lastRunning.put(id, now);
      }
      return;
    }
    Past past = known.computeIfAbsent(record.answer(), a -> new Past(record.fingerprint(), now));
    past.lastThere = now;
    past.released = false;
  }

  /** What there is will be there until time has passed, or its end comes. */
  void timeWillPass(Duration duration) {
    observe();
    Instant then = clock.instant().plus(duration);
    for (OperationId id : ids) {
      OperationRecord record = record(id);
      if (record != null && record.answer() != null) {
        answers.get(id).get(record.answer()).lastThere = earlier(then, record.expiresAt());
      } else if (record != null) {
        lastRunning.put(id, earlier(then, record.leaseEnds()));
      }
    }
  }

  void granted(ClaimRequest request, Lease lease) {
    grants.put(request.token(), lease);
  }

  void released(OperationId id, boolean cacheWasTold) {
    answers
        .get(id)
        .values()
        .forEach(
            past -> {
              past.released = true;
              past.cacheWasTold = cacheWasTold;
            });
  }

  /** The cache has forgotten things, or remembers old ones. */
  void cacheChanged() {
    answers.values().forEach(all -> all.values().forEach(past -> past.cacheWasTold = false));
  }

  @Nullable OperationRecord record(OperationId id) {
    return database.inspection().find(id).toCompletableFuture().join().orElse(null);
  }

  void check(ClaimRequest request, Claim reply) {
    OperationId id = request.id();
    OperationRecord record = record(id);
    if (reply instanceof Claim.Granted granted) {
      require(
          granted.lease().equals(grants.get(request.token()))
              && record != null
              && record.status() == Status.PROCESSING
              && record.lease().equals(granted.lease()),
          "granted what the database did not grant",
          reply);
    } else if (reply instanceof Claim.Finished finished) {
      checkFinished(id, finished);
    } else if (reply instanceof Claim.Busy) {
      Instant ran = lastRunning.getOrDefault(id, Instant.MIN);
      Duration most = settings.busyFor().plus(UnreliableLink.LONGEST_DELAY);
      require(!ran.isBefore(clock.instant().minus(most)), "busy, but has long ended", reply);
    } else {
      require(
          record != null
              && record.status() == Status.PROCESSING
              && !record.leaseEnds().isAfter(clock.instant()),
          "abandoned, which it is not",
          reply);
    }
  }

  private void checkFinished(OperationId id, Claim.Finished finished) {
    Past past = answers.get(id).get(finished.answer());
    require(past != null, "an answer that was never recorded", finished);
    require(past.fingerprint.equals(finished.fingerprint()), "another fingerprint", finished);
    require(
        !(past.released && past.cacheWasTold), "an answer that a person has released", finished);
    Duration late = UnreliableLink.LONGEST_DELAY;
    Duration most = past.released ? late.plus(settings.longestStay()) : late;
    Instant earliest = clock.instant().minus(most);
    require(!past.lastThere.isBefore(earliest), "an answer that is long gone", finished);
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static void require(boolean condition, String violation, Claim reply) {
    if (!condition) {
      throw new AssertionError(violation + ": " + reply);
    }
  }
}
