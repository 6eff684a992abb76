package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.Store;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreFullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The store's side of the network. Each step is taken at one point of virtual time. */
final class StoreServer {

  /**
   * Who asks, and what happens to the reply.
   *
   * @param call whose step it is; null if it is nobody's
   * @param sentLate whether it was sent after the call had ended
   */
  record Origin(Incarnation caller, @Nullable Call call, boolean sentLate, Fault fault) {
    String who() {
      return caller.who();
    }

    int node() {
      return caller.node().number;
    }

    long wallMillis() {
      return caller.node().clock.wallMillis();
    }
  }

  /** What a caller meets. */
  enum State {
    UP,
    /** Connections break. */
    DOWN,
    /** There is nobody to connect to. */
    REFUSING,
    /** SIGSTOP: what arrives is taken when it goes on. */
    STOPPED
  }

  private final MutantStore store;
  private final History history;
  private final StoreModel storeModel;
  private final Coverage coverage;
  private final StoreClock clock;
  private final Set<OperationId> unreadable = new HashSet<>();
  private final Map<Integer, DemotedServer> demoted = new HashMap<>();
  private boolean full;
  private final List<Runnable> heldBack = new ArrayList<>();
  private State state = State.UP;
  private int outages;

  StoreServer(
      MutantStore store,
      StoreClock clock,
      History history,
      StoreModel storeModel,
      Coverage coverage) {
    this.clock = clock;
    this.store = store;
    this.history = history;
    this.storeModel = storeModel;
    this.coverage = coverage;
  }

  State state() {
    return state;
  }

  /** Something that arrives while it is stopped. */
  void holdBack(Runnable arrival) {
    heldBack.add(arrival);
  }

  /** Differs before and after an outage: no reply gets across. */
  int outages() {
    return outages;
  }

  void setState(State next) {
    if (state == next || (next != State.UP && state == State.STOPPED)) {
      return;
    }
    state = next;
    history.add("store", next.name().toLowerCase(Locale.ROOT), "");
    if (next == State.DOWN || next == State.REFUSING) {
      outages++;
    }
    if (next == State.UP) {
      List<Runnable> due = List.copyOf(heldBack);
      heldBack.clear();
      due.forEach(Runnable::run);
    }
  }

  /** After the cut, nobody listens for a while. */
  void restart() {
    if (state == State.DOWN) {
      setState(State.REFUSING);
    }
  }

  /** No room for new keys, or for answers. */
  void setFull(boolean full) {
    this.full = full;
    history.add("store", full ? "full" : "room", "");
  }

  /** The record that is there now cannot be read: another version wrote it. */
  void setUnreadable(OperationId id, boolean cannotBeRead) {
    boolean changed = cannotBeRead ? unreadable.add(id) : unreadable.remove(id);
    if (changed) {
      history.add("store", cannotBeRead ? "garbled" : "readable", id, 0, "");
    }
  }

  /** This node talks to a server that is not the master any more: no writes, and nothing new. */
  void demote(int node, List<OperationId> ids) {
    DemotedServer old = new DemotedServer();
    ids.forEach(id -> store.find(id).ifPresent(old::add));
    demoted.put(node, old);
    history.add("n" + node, "demoted", "meets a server that takes no writes");
  }

  void promote(int node) {
    demoted.remove(node);
  }

  /** All is well, but for what is lost. */
  void heal() {
    setState(State.UP);
    full = false;
    unreadable.clear();
    demoted.clear();
  }

  /** Another server takes over, which does not have the last writes. */
  void forgetSince(long nanos) {
    outages++;
    storeModel.noteExpired();
    store.loseWritesSince(nanos);
    storeModel.loseWritesSince(nanos);
    storeModel.noteRestored(this::isStored);
    history.add("store", "failover", "the last writes are lost");
  }

  void clockGoesBack(Runnable jump) {
    storeModel.noteExpired();
    jump.run();
    storeModel.noteRestored(this::isStored);
  }

  private boolean isStored(Lease lease) {
    return store
        .find(lease.id())
        .filter(record -> record.lease().fence().equals(lease.fence()))
        .isPresent();
  }

  boolean readsFirst(ClaimRequest request) {
    return store.readsFirst(request);
  }

  Claim claim(Origin from, ClaimRequest request) {
    DemotedServer old = demoted.get(from.node());
    if (old != null) {
      Claim reply = old.claim(request, clock.millis());
      note(from, Step.CLAIM, request.id(), 0, reply, false, Happening.CLAIM_REPLY_LOST);
      coverage.saw(Happening.STALE_REPLY);
      storeModel.noteReply(from.node(), request.id(), reply, true);
      return reply;
    }
    boolean exists = store.find(request.id()).isPresent();
    if (exists && unreadable.contains(request.id())) {
      throw refused(from, request, new RecordFormatException("simulated: another version"));
    }
    if (!exists && full) {
      throw refused(from, request, new StoreFullException("simulated: full"));
    }
    Claim claim = store.claim(request, from.wallMillis());
    boolean granted = claim instanceof Claim.Granted;
    long fence = claim instanceof Claim.Granted g ? g.lease().fence().value() : 0;
    note(from, Step.CLAIM, request.id(), fence, claim, granted, Happening.CLAIM_REPLY_LOST);
    storeModel.claimed(from, request, claim);
    return claim;
  }

  private StoreException refused(Origin from, ClaimRequest request, StoreException why) {
    storeModel.noteReply(from.node(), request.id(), why, false);
    return why;
  }

  private void requireWritable(Origin from) {
    if (demoted.containsKey(from.node())) {
      throw new NotTakenException("read-only");
    }
  }

  boolean complete(Origin from, Lease lease, Answer answer, Duration retention) {
    requireWritable(from);
    if (full) {
      throw new StoreFullException("simulated: full");
    }
    boolean done = store.complete(lease, answer, retention);
    note(from, Step.COMPLETE, lease, done, Happening.COMPLETE_REPLY_LOST);
    storeModel.completed(lease, answer, retention, done);
    return done;
  }

  void recordingFailed(Lease lease) {
    store.recordingFailed(lease);
  }

  boolean release(Origin from, Lease lease) {
    requireWritable(from);
    boolean done = store.release(lease);
    note(from, Step.RELEASE, lease, done, Happening.RELEASE_REPLY_LOST);
    storeModel.released(lease, done);
    return done;
  }

  boolean withdraw(Origin from, OperationId id, long token) {
    requireWritable(from);
    boolean done = store.withdraw(id, token);
    note(from, Step.WITHDRAW, id, 0, done, done, Happening.WITHDRAW_REPLY_LOST);
    storeModel.withdrawn(id, token, done);
    return done;
  }

  boolean renew(Origin from, Lease lease, Duration length) {
    requireWritable(from);
    boolean done = store.renew(lease, length, from.wallMillis());
    note(from, Step.RENEW, lease, done, Happening.RENEW_REPLY_LOST);
    storeModel.renewed(lease, length, done);
    return done;
  }

  int purgeExpired(Origin from, int atMost) {
    requireWritable(from);
    int purged = store.purgeExpired(atMost);
    history.add(
        from.who(), Step.PURGE.label(), null, 0, Integer.toString(purged), from.fault.label());
    return purged;
  }

  /** What a person sees. */
  Optional<OperationRecord> find(OperationId id) {
    return store.find(id);
  }

  boolean forceRelease(OperationId id, Fence seen) {
    boolean done = store.forceRelease(id, seen);
    history.add("person", "force", id, seen.value(), done);
    if (done) {
      storeModel.forceReleased(id, seen.value());
    }
    return done;
  }

  Store.Watch watch(Incarnation caller, OperationId id, Runnable wake) {
    Store.Watch watch = store.watch(id, wake);
    caller.countWatch(1);
    return () -> {
      caller.countWatch(-1);
      watch.close();
    };
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
    history.add(from.who(), step.label(), id, fence, reply, from.fault.label());
    if (done && !from.fault.replies()) {
      coverage.saw(ifLost);
    }
  }
}
