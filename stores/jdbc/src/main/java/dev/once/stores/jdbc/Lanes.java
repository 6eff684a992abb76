package dev.once.stores.jdbc;

import dev.once.core.store.Claim;
import dev.once.core.store.NotTakenException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Steps that share transactions. A lane is a thread with a connection: it takes whatever has queued
 * up while all lanes were busy, and commits it together. A lone step waits for nobody, and under
 * load a hundred share one round trip and one flush to disk.
 *
 * <ol>
 *   <li>Take the first step, and all others that wait, up to a bound.
 *   <li>Sort them by operation, so that transactions of several lanes and nodes touch rows in the
 *       same order. Steps of the same operation stay in the order they came.
 *   <li>Run them as one batch, and commit.
 *   <li>Only after the commit, tell each its result. If anything failed, all are told that the
 *       outcome is unknown (the commit may have succeeded); each step may be tried again. The
 *       connection is given up, and the next batch opens a new one.
 *   <li>A database that says that it rolled back (a deadlock with somebody else's transaction) is
 *       asked again at once.
 *   <li>A row that stays locked is in a transaction of the application ({@link JdbcTransactions}).
 *       The batch is run again step by step; a claim of that row is told that it is busy, and any
 *       other step of it is asked for again.
 * </ol>
 */
final class Lanes implements AutoCloseable {

  private static final int MAX_WAITING = 10_000;
  static final int MAX_ROLLBACKS = 5;

  /** A connection that is not used goes back to its pool, and one that is used, sometimes. */
  private static final Duration MAX_IDLE = Duration.ofSeconds(20);

  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  private record Waiting<T>(Step<T> step, CompletableFuture<T> result) {
    @SuppressWarnings("unchecked") // a batch gives for each step what the step's type says
    void tell(Object value) {
      if (value instanceof RuntimeException failure) {
        // A record that cannot be read is one operation's misfortune, not the batch's.
        result.completeExceptionally(failure);
      } else {
        result.complete((T) value);
      }
    }
  }

  /** Behind this one in the queue there is nothing to do. */
  private static final Waiting<?> END =
      new Waiting<>(new Step.Purging(0), new CompletableFuture<>());

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Batch batch;
  private final Executor teller;
  private final BlockingQueue<Waiting<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  // Guarded by this.
  private boolean ending;

  /**
   * @param teller where results are told
   */
  Lanes(DataSource dataSource, Dialect dialect, Batch batch, int count, Executor teller) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.batch = batch;
    this.teller = teller;
    for (int i = 1; i <= count; i++) {
      Thread thread = new Thread(this::work, "once-" + dialect.name() + "-lane-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  /** Takes the step in some transaction soon. */
  <T> CompletableFuture<T> submit(Step<T> step) {
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

  private void work() {
    Session session = null;
    long opened = 0;
    boolean open = true;
    while (open) {
      List<Waiting<?>> taken = take();
      if (taken.removeIf(END::equals)) {
        open = false;
        waiting.add(END); // for the next lane; all others have been taken, so there is room
      }
      if (session != null && (taken.isEmpty() || System.nanoTime() - opened > MAX_AGE.toNanos())) {
        session.close();
        session = null;
      }
      if (!taken.isEmpty()) {
        if (session == null) {
          opened = System.nanoTime();
        }
        session = run(taken, session);
      }
    }
    if (session != null) {
      session.close();
    }
  }

  /** What waits; nothing, if that is nothing for long. */
  private List<Waiting<?>> take() {
    List<Waiting<?>> taken = new ArrayList<>();
    try {
      Waiting<?> first = waiting.poll(MAX_IDLE.toNanos(), TimeUnit.NANOSECONDS);
      if (first != null) {
        taken.add(first);
        waiting.drainTo(taken, dialect.maxBatch() - 1);
      }
    } catch (InterruptedException e) {
      // By a stranger: close() sends END.
    }
    return taken;
  }

  /** Commits what was taken and has everybody told; gives the session, unless it broke. */
  private @Nullable Session run(List<Waiting<?>> taken, @Nullable Session open) {
    taken.sort(Comparator.comparing(entry -> entry.step.sortKey()));
    List<Step<?>> steps = new ArrayList<>(taken.size());
    taken.forEach(entry -> steps.add(entry.step));
    Session session = open;
    for (int rollbacks = 0; ; rollbacks++) {
      try {
        if (session == null) {
          session = new Session(dataSource, dialect);
        }
        List<Object> results = batch.run(session, steps);
        teller.execute(
            () -> {
              for (int i = 0; i < results.size(); i++) {
                taken.get(i).tell(results.get(i));
              }
            });
        return session;
      } catch (Throwable e) {
        if (session != null) {
          session.close();
          session = null;
        }
        boolean locked = e instanceof SQLException sql && dialect.isLockTimeout(sql);
        if (locked && taken.size() > 1) {
          return oneByOne(taken);
        }
        if (locked && taken.get(0).step instanceof Step.Claiming claiming) {
          Claim busy = new Claim.Busy(claiming.request().fingerprint(), Dialect.LONGEST_LOCK_WAIT);
          teller.execute(() -> taken.get(0).tell(busy));
          return null;
        }
        if (!(e instanceof SQLException sql)
            || !(locked || dialect.hasRolledBack(sql))
            || rollbacks == MAX_ROLLBACKS) {
          // Whatever it is, those who wait are told, and this lane lives on for the next batch.
          Throwable told = e instanceof SQLException sql ? dialect.explain("a write", sql) : e;
          teller.execute(() -> taken.forEach(entry -> entry.result.completeExceptionally(told)));
          return null;
        }
      }
    }
  }

  /** One of these met a lock that is held for long: the others need not suffer from it. */
  private @Nullable Session oneByOne(List<Waiting<?>> taken) {
    Session session = null;
    for (Waiting<?> entry : taken) {
      session = run(new ArrayList<>(List.of(entry)), session);
    }
    return session;
  }

  /** Commits what waits, and ends the lanes. */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          if (!ending) {
            waiting.put(END);
            ending = true;
          }
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    for (Waiting<?> late = waiting.poll(); late != null; late = waiting.poll()) {
      late.result.completeExceptionally(closedException());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private NotTakenException closedException() {
    return new NotTakenException(dialect.name() + ": closed (expected: open)");
  }

  private NotTakenException overloaded() {
    return new NotTakenException(
        dialect.name() + ": " + MAX_WAITING + " steps wait already (expected: fewer); slow down");
  }
}
