package dev.once.stores.jdbc;

import dev.once.core.Bytes;
import dev.once.core.store.NotTakenException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes that share transactions. One thread takes whatever has queued up while it was busy with
 * the previous transaction, and commits it together: a lone write waits for nobody, and under load
 * a hundred share one flush to disk.
 *
 * <ol>
 *   <li>Take the first write, and all others that wait, up to a bound.
 *   <li>Sort them by operation, so that transactions of several nodes touch rows in the same order.
 *       Writes of the same operation stay in the order they came.
 *   <li>Run each one's statements, then commit.
 *   <li>Only after the commit, tell each its result: on other threads, because what depends on it
 *       (the next step of an engine, a handler) is not this one's work. If anything failed, all are
 *       told that the outcome is unknown (the commit may have succeeded); each step may be tried
 *       again. The connection is given up, and the next batch opens a new one.
 * </ol>
 */
final class GroupCommit implements AutoCloseable {

  private static final int MAX_BATCH = 256;
  private static final int MAX_WAITING = 10_000;

  /** Gives fences, each higher than any before. */
  interface Fences {
    long next() throws SQLException;
  }

  /** One step of a store, in a transaction that it may share. */
  interface Step<T> {
    T run(Session session, Fences fences) throws SQLException;
  }

  private static final class Write<T> {
    private final Bytes sortKey;
    private final Step<T> step;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    Write(Bytes sortKey, Step<T> step) {
      this.sortKey = sortKey;
      this.step = step;
    }

    /** Takes the step; what it returns tells the result, and is run after the commit. */
    Runnable run(Session session, Fences fences) throws SQLException {
      try {
        T value = step.run(session, fences);
        return () -> result.complete(value);
      } catch (RuntimeException e) {
        // A record that cannot be read is one operation's misfortune, not the batch's.
        return () -> result.completeExceptionally(e);
      }
    }
  }

  /** Behind this one in the queue there is nothing to do. */
  private static final Write<?> END = new Write<>(Bytes.EMPTY, (session, fences) -> true);

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Records records;
  private final Executor teller;
  private final BlockingQueue<Write<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Thread thread;
  private volatile boolean closed;

  // The writer thread's alone. The session is null at first, and after a failure.
  private @Nullable Session session;

  // Guarded by this.
  private boolean ending;

  GroupCommit(DataSource dataSource, Dialect dialect, Records records, Executor teller) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.records = records;
    this.teller = teller;
    this.thread = new Thread(this::work, "once-" + dialect.name() + "-writer");
    thread.setDaemon(true);
    thread.start();
  }

  /** Does the step in some transaction soon. */
  <T> CompletableFuture<T> submit(Bytes sortKey, Step<T> step) {
    Write<T> write = new Write<>(sortKey, step);
    if (closed || !waiting.offer(write)) {
      return CompletableFuture.failedFuture(closed ? closedException() : overloaded());
    }
    if (closed && waiting.remove(write)) {
      // It came too late for the thread to see.
      write.result.completeExceptionally(closedException());
    }
    return write.result;
  }

  private void work() {
    boolean open = true;
    while (open) {
      List<Write<?>> batch = new ArrayList<>();
      try {
        batch.add(waiting.take());
      } catch (InterruptedException e) {
        continue; // by a stranger: close() sends END
      }
      waiting.drainTo(batch, MAX_BATCH - 1);
      open = !batch.remove(END);
      if (!batch.isEmpty()) {
        teller.execute(commit(batch));
      }
    }
    giveUpSession();
    for (Write<?> late = waiting.poll(); late != null; late = waiting.poll()) {
      late.result.completeExceptionally(closedException());
    }
  }

  /** Commits the batch; what it returns tells everybody. */
  private Runnable commit(List<Write<?>> batch) {
    batch.sort(Comparator.comparing(write -> write.sortKey));
    List<Runnable> telling = new ArrayList<>(batch.size());
    try {
      Session open = session == null ? new Session(dataSource, false) : session;
      session = open;
      Fences fences = new FenceBlock(open, batch.size());
      for (Write<?> write : batch) {
        telling.add(write.run(open, fences));
      }
      open.connection().commit();
      return () -> telling.forEach(Runnable::run);
    } catch (Throwable e) {
      // Whatever it is, those who wait are told, and this thread lives on for the next batch.
      giveUpSession();
      Throwable told = e instanceof SQLException sql ? dialect.explain("a write", sql) : e;
      return () -> batch.forEach(write -> write.result.completeExceptionally(told));
    }
  }

  private void giveUpSession() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  /** Fences for one transaction: reserved together, when the first one is asked for. */
  private final class FenceBlock implements Fences {
    private final Session open;
    private final int size;
    private long first;
    private int used;

    FenceBlock(Session open, int size) {
      this.open = open;
      this.size = size;
    }

    @Override
    public long next() throws SQLException {
      if (used % size == 0) {
        first = records.reserveFences(open, size);
        used = 0;
      }
      return first + used++;
    }
  }

  /** Commits what waits, and ends the thread. */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
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
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private NotTakenException closedException() {
    return new NotTakenException(dialect.name() + ": closed (expected: open)");
  }

  private NotTakenException overloaded() {
    return new NotTakenException(
        dialect.name() + ": " + MAX_WAITING + " writes wait already (expected: fewer); slow down");
  }
}
