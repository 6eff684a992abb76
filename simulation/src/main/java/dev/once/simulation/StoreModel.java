package dev.once.simulation;

import static dev.once.simulation.Invariant.ANSWER_KEPT;
import static dev.once.simulation.Invariant.LATE_OWNER;
import static dev.once.simulation.Invariant.MISMATCH;
import static dev.once.simulation.Invariant.ONE_LIVE_FENCE;
import static dev.once.simulation.Invariant.ORPHAN_WITHDRAWN;
import static dev.once.simulation.Invariant.REPLIES_TRUE;
import static dev.once.simulation.Invariant.RUN_HAS_CLAIM;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.simulation.StoreServer.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the store must have by its contract, derived from the steps that the store took and the
 * replies that it gave, by the true time of the store.
 *
 * <p>It follows the steps that are allowed, and reports the others. A removal that nobody had the
 * right to is not followed: the grant that it makes possible is then the violation.
 */
final class StoreModel {

  /**
   * A reply about an operation to a node, and when it was given.
   *
   * @param reply a {@link Claim}, or the exception instead of one
   * @param stale whether an old server or an outdated cache gave it
   */
  record StoreReply(int line, int node, Object reply, boolean stale) {}

  private static final class KeyModel {
    final List<Grant> grants = new ArrayList<>();
    final List<StoreReply> replies = new ArrayList<>();

    @Nullable Grant last() {
      for (int i = grants.size() - 1; i >= 0; i--) {
        if (grants.get(i).end != Grant.End.FORGOTTEN) {
          return grants.get(i);
        }
      }
      return null;
    }
  }

  private final StoreClock clock;
  private final History history;
  private final UndoLog log;
  private final Violations violations;
  private final Coverage coverage;
  private final Set<Long> withdrawn = new HashSet<>();
  private final Map<OperationId, KeyModel> keys = new LinkedHashMap<>();

  StoreModel(
      StoreClock clock, History history, UndoLog log, Violations violations, Coverage coverage) {
    this.log = log;
    this.clock = clock;
    this.history = history;
    this.violations = violations;
    this.coverage = coverage;
  }

  // What the store must have.

  /** The grant whose record is there now; null if there is no record. */
  @Nullable Grant current(OperationId id) {
    Grant last = key(id).last();
    if (last != null && last.end == null && last.expiresAt <= clock.trueMillis()) {
      last.end = Grant.End.EXPIRED; // Time does it, so that no lost write can undo it.
      last.endLine = history.size();
    }
    return last == null || last.end != null ? null : last;
  }

  /** All grants of an operation, the oldest first. */
  List<Grant> grants(OperationId id) {
    Grant unused = current(id);
    return key(id).grants;
  }

  @Nullable Grant grant(OperationId id, long fence) {
    for (Grant grant : grants(id)) {
      if (grant.fence == fence) {
        return grant;
      }
    }
    return null;
  }

  boolean owns(OperationId id, long fence) {
    Grant current = current(id);
    return current != null && current.fence == fence;
  }

  List<StoreReply> replies(OperationId id) {
    return key(id).replies;
  }

  // Its steps.

  /** A claim got this reply, from a server that granted nothing or from a cache. */
  void noteReply(int node, OperationId id, Object reply, boolean stale) {
    key(id).replies.add(new StoreReply(history.size(), node, reply, stale));
  }

  void claimed(Origin from, ClaimRequest request, Claim claim) {
    Grant current = current(request.id());
    noteReply(from.node(), request.id(), claim, false);
    if (claim instanceof Claim.Granted granted) {
      granted(from, request, granted.lease(), current);
    } else if (current == null) {
      violations.add(REPLIES_TRUE, "claim: said to be taken, and there is no record");
    } else {
      taken((Claim.Taken) claim, current);
    }
  }

  private void granted(Origin from, ClaimRequest request, Lease lease, @Nullable Grant current) {
    KeyModel key = key(request.id());
    Grant last = key.last();
    long fence = lease.fence().value();
    if (current != null
        && current.answer == null
        && current.request.token() == request.token()
        && current.fence == fence) {
      return; // The reply to an earlier try of this claim, once more.
    }
    if (last != null && fence <= last.fence) {
      violations.add(ONE_LIVE_FENCE, "granted #" + fence + " after #" + last.fence);
    }
    int attempt = 1;
    if (current != null) {
      boolean allowed = mayTakeOver(request, current, fence);
      attempt = allowed ? current.attempt + 1 : lease.attempt();
      end(current, allowed ? Grant.End.TAKEN_OVER : Grant.End.NOT_ALLOWED);
      coverage.saw(Happening.TAKEOVER);
    } else if (last != null && last.end == Grant.End.EXPIRED) {
      coverage.saw(Happening.EXPIRY_RECLAIM);
    }
    violations.require(
        attempt == lease.attempt(), REPLIES_TRUE, () -> "granted as attempt " + lease.attempt());
    if (withdrawn.contains(request.token())) {
      coverage.saw(Happening.WITHDRAWN_TOO_EARLY);
    }
    violations.require(
        !from.sentLate() || from.fault() == Fault.SECOND_COPY,
        ORPHAN_WITHDRAWN,
        () -> "granted #" + fence + " to a claim that was sent after its call had ended");
    Grant added = new Grant(request, from, fence, lease.attempt(), clock.trueMillis());
    key.grants.add(added);
    log.add(() -> forgotten(added));
  }

  private boolean mayTakeOver(ClaimRequest request, Grant current, long fence) {
    String grant = "granted #" + fence + ", and #" + current.fence;
    boolean same = current.request.fingerprint().equals(request.fingerprint());
    violations.require(same, MISMATCH, () -> grant + " is of another request");
    if (current.answer != null) {
      violations.add(ANSWER_KEPT, grant + " has an answer that is kept");
    } else if (current.leaseEnds > clock.trueMillis()) {
      long left = current.leaseEnds - clock.trueMillis();
      violations.add(ONE_LIVE_FENCE, grant + " has a lease for " + left + " ms more");
    } else if (!request.takeover()) {
      violations.add(RUN_HAS_CLAIM, grant + " may not be taken over");
    } else {
      return same;
    }
    return false;
  }

  private void taken(Claim.Taken claim, Grant current) {
    violations.require(
        claim.fingerprint().equals(current.request.fingerprint()),
        REPLIES_TRUE,
        () -> "claim: told another fingerprint than #" + current.fence + " has");
    if (claim instanceof Claim.Finished finished) {
      violations.require(
          finished.answer().equals(current.answer),
          ANSWER_KEPT,
          () -> "finished, but not with the answer of #" + current.fence);
    } else {
      boolean over = claim instanceof Claim.Abandoned;
      violations.require(
          current.answer == null && over == current.isAbandoned(clock.trueMillis()),
          REPLIES_TRUE,
          () -> "claim: said to be " + (over ? "abandoned" : "busy") + ", and it is not");
    }
  }

  void completed(Lease lease, Answer answer, Duration retention, boolean done) {
    Grant own = own(lease, done, true);
    if (done && own != null) {
      if (own.answer == null) {
        long expiredAt = own.expiresAt;
        log.add(
            () -> {
              own.forgottenAnswer = own.answer;
              own.answer = null;
              own.expiresAt = expiredAt;
              coverage.saw(Happening.ANSWER_FORGOTTEN);
            });
        own.answer = answer;
        own.answeredAt = clock.trueNanos();
        own.keptFor = retention;
        own.setBackAtAnswer = clock.setBackMillis();
        own.expiresAt = clock.trueMillis() + retention.toMillis();
      }
      violations.require(
          Objects.equals(own.answer, answer),
          ANSWER_KEPT,
          () -> "#" + own.fence + ": another answer");
    }
  }

  void renewed(Lease lease, Duration length, boolean done) {
    Grant own = own(lease, done, false);
    if (done && own != null) {
      long leaseEnds = clock.trueMillis() + length.toMillis();
      long before = own.leaseEnds;
      log.add(
          () -> {
            own.expiresAt -= own.leaseEnds - before;
            own.leaseEnds = before;
          });
      own.expiresAt += leaseEnds - own.leaseEnds;
      own.leaseEnds = leaseEnds;
    }
  }

  /** The grant that this lease owns, if it does; with what the store said, a violation or not. */
  private @Nullable Grant own(Lease lease, boolean done, boolean evenIfAnswered) {
    Grant current = current(lease.id());
    long fence = lease.fence().value();
    boolean owns =
        current != null && current.fence == fence && (evenIfAnswered || current.answer == null);
    violations.require(
        owns || !done, LATE_OWNER, () -> "#" + fence + " wrote, and the record is not its own");
    violations.require(
        !owns || done, REPLIES_TRUE, () -> "#" + fence + " told that it lost, and it owns");
    return owns ? current : null;
  }

  void released(Lease lease, boolean done) {
    Grant current = current(lease.id());
    long fence = lease.fence().value();
    if (current == null || current.fence != fence || current.answer != null) {
      return;
    }
    violations.require(done, REPLIES_TRUE, () -> "#" + fence + " not released, and it owns");
    Run run = current.run;
    violations.require(
        run == null || run.mayRelease(),
        RUN_HAS_CLAIM,
        () -> "#" + fence + " released, although the answer of its run is to be kept");
    coverage.saw(run == null ? Happening.WITHDRAWN_CLAIM : Happening.RELEASED);
    end(current, Grant.End.RELEASED);
  }

  void withdrawn(OperationId id, long token, boolean done) {
    withdrawn.add(token);
    Grant current = current(id);
    if (current == null || current.request.token() != token || current.answer != null) {
      violations.require(
          !done, LATE_OWNER, () -> "withdrew a record with another token, or with an answer");
      return;
    }
    violations.require(
        done, REPLIES_TRUE, () -> "#" + current.fence + " not withdrawn, and its record is there");
    if (done) {
      Run run = current.run;
      violations.require(
          run == null || current.revived || run.mayRelease(),
          RUN_HAS_CLAIM,
          () -> "#" + current.fence + " withdrawn, although the answer of its run is to be kept");
      coverage.saw(Happening.WITHDRAWN_CLAIM);
      end(current, Grant.End.WITHDRAWN);
    }
  }

  /** The grants that nobody ran, and that their claimer should have taken back. */
  List<Grant> orphans() {
    List<Grant> orphans = new ArrayList<>();
    for (OperationId id : keys.keySet()) {
      Grant current = current(id);
      if (current != null && current.isOrphan() && !earlierGrantRan(current)) {
        orphans.add(current);
      }
    }
    return orphans;
  }

  /**
   * Whether the same claim was granted before, and ran, and its answer is to be kept: then its
   * claimer may not withdraw it. If the store has lost the answer, that would be to run it again.
   */
  private boolean earlierGrantRan(Grant grant) {
    for (Grant earlier : key(grant.request.id()).grants) {
      if (earlier != grant
          && earlier.request.token() == grant.request.token()
          && earlier.run != null
          && !earlier.run.mayRelease()) {
        return true;
      }
    }
    return false;
  }

  void forceReleased(OperationId id, long fence) {
    Grant current = current(id);
    if (current != null && current.fence == fence) {
      coverage.saw(Happening.FORCE_RELEASE);
      end(current, Grant.End.FORCED);
    }
  }

  /** The highest fence that a person has released; 0 if none. */
  long highestForced(OperationId id) {
    long highest = 0;
    for (Grant grant : grants(id)) {
      if (grant.end == Grant.End.FORCED) {
        highest = Math.max(highest, grant.fence);
      }
    }
    return highest;
  }

  private void forgotten(Grant grant) {
    grant.end = Grant.End.FORGOTTEN;
    grant.endLine = history.size();
    coverage.saw(Happening.GRANT_FORGOTTEN);
  }

  private void end(Grant grant, Grant.End how) {
    Grant.@Nullable End before = grant.end;
    log.add(
        () -> {
          grant.end = before;
          grant.revived = true;
        });
    grant.end = how;
    grant.endLine = history.size();
  }

  // Its faults.

  /** Marks what is expired by now, before the clock says otherwise. */
  void noteExpired() {
    keys.keySet().forEach(this::current);
  }

  /** Expired records are there again: the clock went back, or the store lost a purge. */
  void noteRestored(Predicate<Lease> isStored) {
    keys.forEach(
        (id, key) -> {
          Grant last = key.last();
          if (last != null
              && last.end == Grant.End.EXPIRED
              && isStored.test(new Lease(id, new Fence(last.fence), last.attempt))) {
            last.end = null;
          }
        });
  }

  /** The store lost what was written since then. */
  void loseWritesSince(long nanos) {
    log.undoSince(nanos);
  }

  private KeyModel key(OperationId id) {
    return keys.computeIfAbsent(id, ignored -> new KeyModel());
  }
}
