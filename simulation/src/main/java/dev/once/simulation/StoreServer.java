package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import java.time.Duration;
import java.util.Optional;

/** The store's side of the network. Each step is taken at one point of virtual time. */
final class StoreServer {

  /** Who asks, and what happens to the reply. */
  record Origin(String who, int node, long wallMillis, Fault fault) {}

  private final MutantStore store;
  private final History history;
  private final Ledger ledger;
  private final Coverage coverage;
  private boolean down;
  private int outages;

  StoreServer(MutantStore store, History history, Ledger ledger, Coverage coverage) {
    this.store = store;
    this.history = history;
    this.ledger = ledger;
    this.coverage = coverage;
  }

  boolean isDown() {
    return down;
  }

  /** Differs before and after an outage: no reply gets across. */
  int outages() {
    return outages;
  }

  void goDown() {
    if (!down) {
      down = true;
      outages++;
      history.add("store", "down", "");
    }
  }

  void comeUp() {
    if (down) {
      down = false;
      history.add("store", "up", "");
    }
  }

  boolean readsFirst(ClaimRequest request) {
    return store.readsFirst(request);
  }

  Claim claim(Origin from, ClaimRequest request) {
    Claim claim = store.claim(request, from.wallMillis);
    boolean granted = claim instanceof Claim.Granted;
    long fence = claim instanceof Claim.Granted g ? g.lease().fence().value() : 0;
    note(from, Step.CLAIM, request.id(), fence, claim, granted, Happening.CLAIM_REPLY_LOST);
    ledger.claimed(from.node, request, claim);
    return claim;
  }

  boolean complete(Origin from, Lease lease, Answer answer, Duration retention) {
    boolean done = store.complete(lease, answer, retention);
    note(from, Step.COMPLETE, lease, done, Happening.COMPLETE_REPLY_LOST);
    ledger.completed(lease, answer, retention, done);
    return done;
  }

  void recordingFailed(Lease lease) {
    store.recordingFailed(lease);
  }

  boolean release(Origin from, Lease lease) {
    boolean done = store.release(lease);
    note(from, Step.RELEASE, lease, done, Happening.RELEASE_REPLY_LOST);
    ledger.released(lease, done);
    return done;
  }

  boolean renew(Origin from, Lease lease, Duration length) {
    boolean done = store.renew(lease, length, from.wallMillis);
    note(from, Step.RENEW, lease, done, Happening.RENEW_REPLY_LOST);
    ledger.renewed(lease, length, done);
    return done;
  }

  int purgeExpired(Origin from, int atMost) {
    int purged = store.purgeExpired(atMost);
    history.add(
        from.who, Step.PURGE.label(), null, 0, Integer.toString(purged), from.fault.label());
    return purged;
  }

  /** What a person sees. */
  Optional<OperationRecord> find(OperationId id) {
    return store.find(id);
  }

  void forceRelease(OperationRecord seen) {
    OperationId id = seen.lease().id();
    boolean done = store.forceRelease(id, seen.lease().fence());
    history.add("person", "force", id, seen.lease().fence().value(), done);
    if (done) {
      ledger.forceReleased(id, seen.lease().fence().value());
    }
  }

  Store.Watch watch(OperationId id, Runnable wake) {
    return store.watch(id, wake);
  }

  private void note(Origin from, Step step, Lease lease, boolean done, Happening ifLost) {
    note(from, step, lease.id(), lease.fence().value(), done, done, ifLost);
  }

  private void note(
      Origin from,
      Step step,
      OperationId id,
      long fence,
      Object reply,
      boolean done,
      Happening ifLost) {
    history.add(from.who, step.label(), id, fence, reply, from.fault.label());
    if (done && !from.fault.replies()) {
      coverage.saw(ifLost);
    }
  }
}
