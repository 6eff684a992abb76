package dev.once.stores.jdbc;

import dev.once.core.store.StepNotTakenException;
import dev.once.core.store.StoreClosedException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Threads for reads and for whatever must not wait for the lanes. They do not block the caller, and
 * do not wait for a flush to disk.
 */
final class ReaderThreads implements Executor {

  private static final int MAX_WAITING = 10_000;

  /** A statement that commits by itself. */
  interface Query<T> {
    T run(Session session) throws SQLException;
  }

  private final DataSource dataSource;
  private final Dialect dialect;
  private final ThreadPoolExecutor threads;
  private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();

  /** What the threads are at. */
  private final Map<Thread, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

  /** Nobody waits for the threads any more. */
  private volatile boolean over;

  ReaderThreads(DataSource dataSource, Dialect dialect, Connections connections) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            connections.readers(),
            connections.readers(),
            connections.maxIdle().toNanos(),
            TimeUnit.NANOSECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> {
              String name = "once-" + dialect.name() + "-reader-" + number.incrementAndGet();
              Thread thread = new Thread(() -> runAndGiveBack(task), name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** A thread that had nothing to do for long ends, and a connection with it. */
  private void runAndGiveBack(Runnable worker) {
    worker.run();
    Session unused = threads.isShutdown() ? null : idle.poll(); // else close() closes it
    if (unused != null) {
      unused.close();
    }
  }

  <T> CompletableFuture<T> submit(Query<T> query) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      threads.execute(() -> run(query, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          threads.isShutdown()
              ? closedException()
              : new StepNotTakenException(
                  dialect.name() + ": " + MAX_WAITING + " reads wait already (expected: fewer)"));
    }
    return result;
  }

  /** Runs a task of others here; on the caller's thread if these have too much to do. */
  @Override
  public void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  private <T> void run(Query<T> query, CompletableFuture<T> result) {
    underWay.put(Thread.currentThread(), result);
    try {
      tryToRun(query, result);
    } finally {
      underWay.remove(Thread.currentThread());
    }
  }

  private <T> void tryToRun(Query<T> query, CompletableFuture<T> result) {
    for (int rollbacks = 0; ; rollbacks++) {
      try {
        T value = run(query);
        result.complete(value);
        return;
      } catch (Throwable e) {
        if (!(e instanceof SQLException sql)
            || !dialect.hasRolledBack(sql)
            || dialect.isLockTimeout(sql)
            || rollbacks == WriterLanes.MAX_ROLLBACKS) {
          result.completeExceptionally(
              e instanceof SQLException sql ? dialect.explain("a read", sql) : e);
          return;
        }
      }
    }
  }

  private <T> T run(Query<T> query) throws SQLException {
    if (over) {
      throw closedException(); // before it connects, which may take for ever
    }
    Session pooled = idle.poll();
    Session session = pooled == null ? new Session(dataSource, dialect) : pooled;
    T value;
    try {
      if (over) {
        throw closedException();
      }
      value = query.run(session);
    } catch (Throwable e) {
      session.close();
      throw e;
    }
    idle.add(session);
    if (over) {
      closeIdle();
    }
    return value;
  }

  /**
   * Ends what runs and what waits, then closes the connections. Threads that are not back in time
   * are left behind, as in {@link WriterLanes#close}, and none is interrupted: to one that is in a
   * file the JDK would close it, and with it H2 the database.
   *
   * @param deadline by {@link System#nanoTime}
   * @return how many threads were left behind
   */
  int close(long deadline) {
    threads.shutdown();
    boolean interrupted = awaitEnd(deadline);
    over = true;
    List<Runnable> late = new ArrayList<>();
    threads.getQueue().drainTo(late); // not by shutdownNow(): it interrupts those that run
    late.forEach(Runnable::run);
    int left = threads.getActiveCount();
    underWay.values().forEach(result -> result.completeExceptionally(dialect.unknownAtClose()));
    closeIdle();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return left;
  }

  /** Whether somebody has interrupted this thread meanwhile; it waits all the same. */
  private boolean awaitEnd(long deadline) {
    boolean interrupted = false;
    while (true) {
      try {
        threads.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private void closeIdle() {
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
  }

  private StepNotTakenException closedException() {
    return new StoreClosedException(dialect.name());
  }
}
