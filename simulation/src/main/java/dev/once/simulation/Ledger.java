package dev.once.simulation;

import static dev.once.simulation.Invariant.ANSWER_KEPT;
import static dev.once.simulation.Invariant.LATE_OWNER;
import static dev.once.simulation.Invariant.MISMATCH;
import static dev.once.simulation.Invariant.ONE_LIVE_FENCE;
import static dev.once.simulation.Invariant.ORPHAN_ENDS;
import static dev.once.simulation.Invariant.RUN_BY_RIGHT;
import static dev.once.simulation.Invariant.TRUTH;

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
 * The life of each record as the store's contract has it, kept from the steps that the store took
 * and the replies that it gave, and judged by the true time of the store.
 *
 * <p>It believes what is lawful and reports what is not. A removal that nobody had the right to is
 * not believed: the grant that follows from it is then the violation, as it is for those who run.
 */
final class Ledger {

  /**
   * What a node was told about an operation, and when.
   *
   * @param reply a {@link Claim}, or the exception instead of one
   * @param stale whether it was told by a server that does not know better
   */
  record Told(int line, int node, Object reply, boolean stale) {}

  private static final class Account {
    final List<Grant> grants = new ArrayList<>();
    final List<Told> told = new ArrayList<>();

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
  private final Map<OperationId, Account> accounts = new LinkedHashMap<>();

  Ledger(StoreClock clock, History history, UndoLog log, Violations violations, Coverage coverage) {
    this.log = log;
    this.clock = clock;
    this.history = history;
    this.violations = violations;
    this.coverage = coverage;
  }

  // What it knows.

  /** The grant whose record is there now; null if there is no record. */
  @Nullable Grant current(OperationId id) {
    Grant last = account(id).last();
    if (last != null && last.end == null && last.expiresAt <= clock.trueMillis()) {
      last.end = Grant.End.EXPIRED; // Time does it, so that no lost write can undo it.
      last.endLine = history.size();
    }
    return last == null || last.end != null ? null : last;
  }

  /** All grants of an operation, the oldest first. */
  List<Grant> grants(OperationId id) {
    Grant unused = current(id);
    return account(id).grants;
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

  List<Told> told(OperationId id) {
    return account(id).told;
  }

  // What it hears.

  /** A claim was answered so, by a server that granted nothing, or by a cache. */
  void told(int node, OperationId id, Object reply, boolean stale) {
    account(id).told.add(new Told(history.size(), node, reply, stale));
  }

  void claimed(Origin from, ClaimRequest request, Claim claim) {
    Grant current = current(request.id());
    told(from.node(), request.id(), claim, false);
    if (claim instanceof Claim.Granted granted) {
      granted(from, request, granted.lease(), current);
    } else if (current == null) {
      violations.add(TRUTH, "claim: said to be taken, and there is no record");
    } else {
      taken((Claim.Taken) claim, current);
    }
  }

  private void granted(Origin from, ClaimRequest request, Lease lease, @Nullable Grant current) {
    Account account = account(request.id());
    Grant last = account.last();
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
      boolean lawful = mayTakeOver(request, current, fence);
      attempt = lawful ? current.attempt + 1 : lease.attempt();
      end(current, lawful ? Grant.End.TAKEN_OVER : Grant.End.UNLAWFUL);
      coverage.saw(Happening.TAKEOVER);
    } else if (last != null && last.end == Grant.End.EXPIRED) {
      coverage.saw(Happening.EXPIRY_RECLAIM);
    }
    violations.require(
        attempt == lease.attempt(), TRUTH, () -> "granted as attempt " + lease.attempt());
    if (withdrawn.contains(request.token())) {
      coverage.saw(Happening.WITHDRAWN_TOO_EARLY);
    }
    violations.require(
        !from.sentLate() || from.fault() == Fault.COPY,
        ORPHAN_ENDS,
        () -> "granted #" + fence + " to a claim that was sent after its call had ended");
    Grant added = new Grant(request, from, fence, lease.attempt(), clock.trueMillis());
    account.grants.add(added);
    log.did(() -> forgotten(added));
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
      violations.add(RUN_BY_RIGHT, grant + " may not be taken over");
    } else {
      return same;
    }
    return false;
  }

  private void taken(Claim.Taken claim, Grant current) {
    violations.require(
        claim.fingerprint().equals(current.request.fingerprint()),
        TRUTH,
        () -> "claim: told another fingerprint than #" + current.fence + " has");
    if (claim instanceof Claim.Finished finished) {
      violations.require(
          finished.answer().equals(current.answer),
          ANSWER_KEPT,
          () -> "finished, and not with the answer of #" + current.fence);
    } else {
      boolean over = claim instanceof Claim.Abandoned;
      violations.require(
          current.answer == null && over == current.isAbandoned(clock.trueMillis()),
          TRUTH,
          () -> "claim: said to be " + (over ? "abandoned" : "busy") + ", and it is not");
    }
  }

  void completed(Lease lease, Answer answer, Duration retention, boolean done) {
    Grant own = own(lease, done, true);
    if (done && own != null) {
      if (own.answer == null) {
        long expiredAt = own.expiresAt;
        log.did(
            () -> {
              own.forgottenAnswer = own.answer;
              own.answer = null;
              own.expiresAt = expiredAt;
              coverage.saw(Happening.ANSWER_FORGOTTEN);
            });
        own.answer = answer;
        own.answeredAt = clock.trueNanos();
        own.keptFor = retention;
        own.lostAtAnswer = clock.lostMillis();
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
      log.did(
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
    violations.require(!owns || done, TRUTH, () -> "#" + fence + " told that it lost, and it owns");
    return owns ? current : null;
  }

  void released(Lease lease, boolean done) {
    Grant current = current(lease.id());
    long fence = lease.fence().value();
    if (current == null || current.fence != fence || current.answer != null) {
      return;
    }
    violations.require(done, TRUTH, () -> "#" + fence + " not released, and it owns");
    Run run = current.run;
    violations.require(
        run == null || run.mayRelease(),
        RUN_BY_RIGHT,
        () -> "#" + fence + " released, and its run is not one to forget");
    coverage.saw(run == null ? Happening.WITHDRAWN_CLAIM : Happening.RELEASED);
    end(current, Grant.End.RELEASED);
  }

  void withdrawn(OperationId id, long token, boolean done) {
    withdrawn.add(token);
    Grant current = current(id);
    if (current == null || current.request.token() != token || current.answer != null) {
      violations.require(!done, LATE_OWNER, () -> "withdrew what is not of its token");
      return;
    }
    violations.require(done, TRUTH, () -> "#" + current.fence + " not withdrawn, and it is there");
    if (done) {
      Run run = current.run;
      violations.require(
          run == null || current.revived || run.mayRelease(),
          RUN_BY_RIGHT,
          () -> "#" + current.fence + " withdrawn, and its run is not one to forget");
      coverage.saw(Happening.WITHDRAWN_CLAIM);
      end(current, Grant.End.WITHDRAWN);
    }
  }

  /** The grants that nobody ran, and that their claimer should have taken back. */
  List<Grant> orphans() {
    List<Grant> orphans = new ArrayList<>();
    for (OperationId id : accounts.keySet()) {
      Grant current = current(id);
      if (current != null && current.isOrphan() && !ranToBeKept(current)) {
        orphans.add(current);
      }
    }
    return orphans;
  }

  /**
   * Whether the same claim was granted before, and ran, and its answer is to be kept: then its
   * claimer may not withdraw it. If the store has lost the answer, that would be to run it again.
   */
  private boolean ranToBeKept(Grant grant) {
    for (Grant earlier : account(grant.request.id()).grants) {
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
    log.did(
        () -> {
          grant.end = before;
          grant.revived = true;
        });
    grant.end = how;
    grant.endLine = history.size();
  }

  // What befalls the store.

  /** Marks what is expired by now, before the clock says otherwise. */
  void noteExpired() {
    accounts.keySet().forEach(this::current);
  }

  /** What had expired is there again: its clock went back, or it lost what it purged. */
  void restored(Predicate<Lease> isThere) {
    accounts.forEach(
        (id, account) -> {
          Grant last = account.last();
          if (last != null
              && last.end == Grant.End.EXPIRED
              && isThere.test(new Lease(id, new Fence(last.fence), last.attempt))) {
            last.end = null;
          }
        });
  }

  /** It is now as it was then. */
  void forget(long nanos) {
    log.undoSince(nanos);
  }

  private Account account(OperationId id) {
    return accounts.computeIfAbsent(id, ignored -> new Account());
  }
}
