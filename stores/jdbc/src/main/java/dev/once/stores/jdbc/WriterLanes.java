package dev.once.stores.jdbc;

import dev.once.core.Bytes;
import dev.once.core.store.Claim;
import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import dev.once.core.store.spi.WaitingCaller;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Steps that share transactions. A lane is a connection, and there is a thread for each: it takes
 * whatever has queued up while all lanes were busy, and commits it together. A lone step waits for
 * nobody, and under load a hundred share one round trip and one flush to disk.
 *
 * <ol>
 *   <li>A caller that waits for the reply anyway, and finds all lanes idle and the queue empty,
 *       takes its step itself. All others queue up: steps that come together are to share.
 *   <li>Take the first step, and all others that wait, up to a bound.
 *   <li>Look whether the connection is still there, if it was not used for some seconds: servers
 *       and networks end those, and a step that finds out is one whose outcome is unknown.
 *   <li>A lane that cannot connect leaves the steps to the others; if none is connected, nothing
 *       was done, and that is said.
 *   <li>Sort them by operation, so that transactions of several lanes and nodes touch rows in the
 *       same order. Steps of the same operation stay in the order they came.
 *   <li>Run them as one batch, and commit.
 *   <li>Only after the commit, tell each its result. If anything failed, all are told that the
 *       outcome is unknown (the commit may have succeeded); each step may be tried again. The
 *       connection is given up, and the next batch opens a new one.
 *   <li>A database that says that it rolled back (a deadlock with somebody else's transaction) is
 *       asked again at once.
 *   <li>A row that stays locked is in a transaction of the application ({@link JdbcTransactions}).
 *       The batch is run again by halves, which wait for locks for a moment only: all claims of
 *       that row are told that it is busy, and nobody else waits for it. Until somebody gets it,
 *       claims of it go into a batch of their own, after the others, and wait for a moment only.
 *       Any other step of that row is asked for again after them, a few times.
 * </ol>
 */
final class WriterLanes {

  private static final int MAX_WAITING = 10_000;
  static final int MAX_ROLLBACKS = 5;
  private static final int MAX_HELD = 1_000;

  /** For a lane that could not connect; the others have its steps meanwhile. */
  private static final Duration BEFORE_NEXT_CONNECT = Duration.ofMillis(20);

  /** A connection that is used goes back to its pool too, sometimes, unless lanes keep theirs. */
  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  private record Waiting<T>(Step<T> step, CompletableFuture<T> result) {
    @SuppressWarnings("unchecked") // a batch gives for each step what the step's type says
    void tell(Object value) {
      if (value instanceof Throwable failure) {
        // A record that cannot be read is one operation's misfortune, not the batch's.
        result.completeExceptionally(failure);
      } else {
        result.complete((T) value);
      }
    }
  }

  /** Belongs to whoever took it from those that are idle, and is given back. */
  private final class Lane {
    /** What its thread is at; nothing if a caller has it. */
    private volatile List<Waiting<?>> taken = List.of();

    private volatile @Nullable Session session;

    private long openedAt;
    private long usedAt;

    void use(@Nullable Session used) {
      usedAt = System.nanoTime();
      if (session != used) {
        session = used;
        openedAt = usedAt;
      }
    }

    boolean isOld() {
      return !connections.keepsLanes() && System.nanoTime() - openedAt > MAX_AGE.toNanos();
    }

    boolean isUnused() {
      return !connections.keepsLanes()
          && System.nanoTime() - usedAt > connections.maxIdle().toNanos();
    }

    /** Whether it was not used for a while, and somebody has ended its connection meanwhile. */
    boolean isDead() {
      Session open = session;
      return open != null
          && System.nanoTime() - usedAt >= connections.maxTrusted().toNanos()
          && !open.isAlive();
    }

    void close() {
      Session open = session;
      if (open != null) {
        open.close();
        session = null;
      }
    }
  }

  /** Behind this one in the queue there is nothing to do. */
  private static final Waiting<?> END =
      new Waiting<>(new Step.Purging(0), new CompletableFuture<>());

  private final Connector connector;
  private final Dialect dialect;
  private final Batch batch;
  private final Connections connections;
  private final Executor teller;
  private final BlockingQueue<Waiting<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

  /** The one that was used last comes first, and last those that are not connected. */
  private final BlockingDeque<Lane> idle = new LinkedBlockingDeque<>();

  private final List<Lane> lanes = new ArrayList<>();

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /** Keys that an application's transaction had when they were last claimed. */
  private final Set<Bytes> held = ConcurrentHashMap.newKeySet();

  /** Nobody waits for the lanes any more: whatever is still under way is given up. */
  private volatile boolean over;

  // Guarded by this.
  private boolean ending;

  /**
   * @param teller where results are told
   */
  WriterLanes(
      DataSource dataSource,
      Dialect dialect,
      Batch batch,
      Connections connections,
      Executor teller) {
    this.connector = new Connector(dataSource, dialect);
    this.dialect = dialect;
    this.batch = batch;
    this.connections = connections;
    this.teller = teller;
    for (int i = 1; i <= connections.lanes(); i++) {
      lanes.add(new Lane());
      Thread thread = new Thread(this::work, "once-" + dialect.name() + "-lane-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
    idle.addAll(lanes);
    threads.forEach(Thread::start);
  }

  /** Connects all lanes now, and not when they are needed. */
  void connect() throws SQLException {
    for (Lane lane : lanes) {
      lane.use(connector.connect());
    }
  }

  /** Takes the step in some transaction soon; or here and now, as {@link #takeHere} says. */
  <T> CompletableFuture<T> submit(Step<T> step) {
    CompletableFuture<T> taken = takeHere(step);
    if (taken != null) {
      return taken;
    }
    Waiting<T> entry = new Waiting<>(step, new CompletableFuture<>());
    if (closed || !waiting.offer(entry)) {
      return CompletableFuture.failedFuture(closed ? closedException() : overloaded());
    }
    if (closed && waiting.remove(entry)) {
      // It came too late for the lanes to see.
      entry.result.completeExceptionally(closedException());
    }
    return entry.result;
  }

  /** Takes the step on this thread; null, and nothing done, unless it waits and is alone. */
  <T> @Nullable CompletableFuture<T> takeHere(Step<T> step) {
    Duration longest = dialect.runsOnCallersThreads() ? WaitingCaller.takeCallerThread() : null;
    if (longest == null || !waiting.isEmpty() || idle.size() < threads.size()) {
      return null;
    }
    Lane lane = idle.pollFirst();
    if (lane == null) {
      return null;
    }
    Object told;
    try {
      told = closed ? null : takeHere(step, lane, longest);
    } finally {
      giveBack(lane);
    }
    if (told == null) {
      return null;
    }
    Waiting<T> entry = new Waiting<>(step, new CompletableFuture<>());
    entry.tell(told);
    return entry.result;
  }

  /** What a new connection, or a second try, takes is more than the caller may have time for. */
  private @Nullable Object takeHere(Step<?> step, Lane lane, Duration longest) {
    Session session = lane.session;
    if (session == null || lane.isOld()) {
      return null;
    }
    if (lane.isDead()) {
      lane.close();
      return null;
    }
    try {
      session.limitSilence(longest);
      Object result =
          isOfHeld(step)
              ? session.inHurry(() -> batch.runOne(session, step))
              : batch.runOne(session, step);
      lane.use(session);
      held.remove(step.sortKey());
      return result;
    } catch (Throwable e) {
      if (isLocked(e)) {
        return busy(step);
      }
      lane.close();
      return told(e);
    }
  }

  private void work() {
    boolean open = true;
    while (open) {
      Waiting<?> first = first();
      if (first == null) {
        closeUnused();
        continue;
      }
      Lane lane = lane();
      try {
        List<Waiting<?>> taken = new ArrayList<>();
        taken.add(first);
        waiting.drainTo(taken, dialect.maxBatch() - 1);
        if (taken.removeIf(END::equals)) {
          open = false;
          waiting.add(END); // for the next lane; all others have been taken, so there is room
        }
        if (lane.isOld() || lane.isDead()) {
          lane.close();
        }
        if (!taken.isEmpty()) {
          taken.sort(Comparator.comparing(entry -> entry.step.sortKey()));
          lane.taken = taken;
          lane.use(run(taken, lane.session));
        }
      } finally {
        lane.taken = List.of();
        giveBack(lane);
      }
    }
  }

  private void giveBack(Lane lane) {
    if (lane.session == null) {
      idle.addLast(lane);
    } else {
      idle.addFirst(lane);
    }
    if (over) {
      closeIdle(); // it comes too late for close() to do that
    }
  }

  /** What waits longest; null if for long there is nothing. */
  private @Nullable Waiting<?> first() {
    try {
      return waiting.poll(connections.maxIdle().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return null; // by a stranger: close() sends END
    }
  }

  /** A lane, as soon as one is idle. */
  private Lane lane() {
    boolean interrupted = false;
    while (true) {
      try {
        Lane lane = idle.takeFirst();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return lane;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private void closeUnused() {
    List<Lane> lanes = new ArrayList<>();
    idle.drainTo(lanes);
    lanes.stream().filter(Lane::isUnused).forEach(Lane::close);
    lanes.forEach(idle::addLast);
  }

  /**
   * Steps that share a batch.
   *
   * @param hurried waits for locks for a moment only
   * @param tried whether some of them may have been taken already
   */
  private record Group(List<Waiting<?>> entries, boolean hurried, boolean tried) {
    boolean isOneStep() {
      return entries.size() == 1;
    }

    boolean isOneClaim() {
      Bytes key = entries.get(0).step.sortKey();
      return entries.stream()
          .map(Waiting::step)
          .allMatch(step -> step instanceof Step.Claiming && step.sortKey().equals(key));
    }

    void tell(Object all) {
      entries.forEach(entry -> entry.tell(all));
    }
  }

  /** Commits what was taken and has everybody told; gives the session, unless it broke. */
  private @Nullable Session run(List<Waiting<?>> taken, @Nullable Session open) {
    Deque<Group> groups = new ArrayDeque<>();
    Map<Bytes, List<Waiting<?>>> ofHeld = new LinkedHashMap<>();
    List<Waiting<?>> others = new ArrayList<>();
    for (Waiting<?> entry : taken) {
      (isOfHeld(entry.step)
              ? ofHeld.computeIfAbsent(entry.step.sortKey(), key -> new ArrayList<>())
              : others)
          .add(entry);
    }
    if (!others.isEmpty()) {
      groups.add(new Group(others, false, false));
    }
    ofHeld.values().forEach(claims -> groups.add(new Group(claims, true, false)));
    Session session = open;
    while (!groups.isEmpty()) {
      session = run(groups.poll(), session, groups);
    }
    return session;
  }

  /**
   * @param next gets what is to be run again, in other groups
   */
  private @Nullable Session run(Group group, @Nullable Session open, Deque<Group> next) {
    List<Step<?>> steps = new ArrayList<>(group.entries.size());
    group.entries.forEach(entry -> steps.add(entry.step));
    Session session = open;
    for (int rollbacks = 0; ; rollbacks++) {
      try {
        if (session == null) {
          boolean isNew = !group.tried && rollbacks == 0;
          session = isNew ? connector.connectForNew(isNoneConnected()) : connector.connect();
        }
        if (over) {
          throw closedException(); // whoever asked has been told
        }
        session.limitSilence(Dialect.LONGEST_SILENCE);
        Session used = session;
        List<Object> results =
            group.hurried ? used.inHurry(() -> batch.run(used, steps)) : batch.run(used, steps);
        teller.execute(
            () -> {
              for (int i = 0; i < results.size(); i++) {
                group.entries.get(i).tell(results.get(i));
              }
            });
        if (!held.isEmpty()) {
          steps.forEach(step -> held.remove(step.sortKey()));
        }
        return session;
      } catch (Throwable e) {
        if (e instanceof Connector.UnconnectedException && leaveToOthers(group)) {
          return null;
        }
        if (session != null && !isLocked(e)) { // that was one statement, and it was undone
          session.close();
          session = null;
        }
        if (isLocked(e) && (!group.isOneStep() || group.isOneClaim() || group.hurried)) {
          giveUp(group, next);
          return session;
        }
        if (isCanceled(e) && !group.hurried && hasClaims(group)) {
          next.addFirst(
              new Group(group.entries, true, true)); // says whether it is a lock that it met
          return session;
        }
        Object told = rollbacks == MAX_ROLLBACKS ? explained(e) : told(e);
        if (told != null) {
          // Whatever it is, those who wait are told, and this lane lives on for the next batch.
          Object all = told;
          teller.execute(() -> group.tell(all));
          return session;
        }
      }
    }
  }

  private boolean isNoneConnected() {
    return lanes.stream().allMatch(lane -> lane.session == null);
  }

  /** A server may have no connection left to give, but others have theirs. False if none has. */
  private boolean leaveToOthers(Group group) {
    if (closed || isNoneConnected()) {
      return false;
    }
    for (Waiting<?> entry : group.entries) {
      if (!waiting.offer(entry)) {
        entry.tell(overloaded());
      }
    }
    LockSupport.parkNanos(BEFORE_NEXT_CONNECT.toNanos());
    return true;
  }

  /** A row of this group is in somebody's transaction: the others do not suffer from it. */
  private void giveUp(Group group, Deque<Group> next) {
    List<Waiting<?>> entries = group.entries;
    if (group.isOneClaim()) {
      teller.execute(
          () -> entries.forEach(entry -> entry.tell(Objects.requireNonNull(busy(entry.step)))));
    } else if (group.isOneStep()) {
      next.addLast(new Group(entries, false, true));
    } else {
      int half = entries.size() / 2;
      next.addFirst(new Group(entries.subList(half, entries.size()), true, true));
      next.addFirst(new Group(entries.subList(0, half), true, true));
    }
  }

  /** What a claim is told of a row that is in somebody's transaction; null for any other step. */
  private @Nullable Object busy(Step<?> step) {
    if (!(step instanceof Step.Claiming claiming)) {
      return null;
    }
    if (held.size() >= MAX_HELD) {
      held.clear(); // those that are still held are found out again
    }
    held.add(step.sortKey());
    return new Claim.Busy(claiming.request().fingerprint(), Dialect.LONGEST_LOCK_WAIT);
  }

  private boolean isOfHeld(Step<?> step) {
    return !held.isEmpty() && step instanceof Step.Claiming && held.contains(step.sortKey());
  }

  /** What this failure means for a step; null if it is to be tried again. */
  private @Nullable Object told(Throwable failure) {
    return isLocked(failure) || (failure instanceof SQLException sql && dialect.hasRolledBack(sql))
        ? null
        : explained(failure);
  }

  private boolean isLocked(Throwable failure) {
    return failure instanceof SQLException sql && dialect.isLockTimeout(sql);
  }

  private boolean isCanceled(Throwable failure) {
    return failure instanceof SQLException sql && dialect.isCanceled(sql);
  }

  private static boolean hasClaims(Group group) {
    return group.entries.stream().anyMatch(entry -> entry.step instanceof Step.Claiming);
  }

  private Throwable explained(Throwable failure) {
    return failure instanceof SQLException sql ? dialect.explain("a write", sql) : failure;
  }

  /**
   * Commits what waits, and ends the lanes. A data source may take for ever to connect, and no
   * thread can be made to leave it: those that are not back in time are left behind, and end when
   * it lets them go.
   *
   * @param deadline by {@link System#nanoTime}
   * @return how many threads were left behind
   */
  synchronized int close(long deadline) {
    closed = true;
    boolean interrupted = false;
    boolean awaited = false;
    while (!awaited) {
      try {
        awaitEnd(deadline);
        awaited = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    over = true;
    List<Waiting<?>> late = new ArrayList<>();
    waiting.drainTo(late);
    late.forEach(entry -> entry.result.completeExceptionally(closedException()));
    waiting.add(END); // for those that come back
    closeIdle();
    int left = 0;
    for (Thread thread : threads) {
      left += thread.isAlive() && thread != Thread.currentThread() ? 1 : 0;
    }
    if (left > 0) {
      lanes.forEach(lane -> lane.taken.forEach(entry -> entry.tell(dialect.unknownAtClose())));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return left;
  }

  /** Waits for the threads, and for callers that have a lane; whoever closes may be one of them. */
  private void awaitEnd(long deadline) throws InterruptedException {
    if (!ending) {
      ending = waiting.offer(END, deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    int mine = 0;
    for (Thread thread : threads) {
      if (thread == Thread.currentThread()) {
        mine = 1;
      } else {
        TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
      }
    }
    while (idle.size() < lanes.size() - mine && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private void closeIdle() {
    List<Lane> ended = new ArrayList<>();
    idle.drainTo(ended);
    ended.forEach(Lane::close);
    idle.addAll(ended); // a thread that comes back needs one to end with
  }

  private StepNotTakenException closedException() {
    return new StoreClosedException(dialect.name());
  }

  private StepNotTakenException overloaded() {
    return new StepNotTakenException(
        dialect.name() + ": " + MAX_WAITING + " steps wait already (expected: fewer); slow down");
  }
}
