package dev.once.stores.jdbc;

import dev.once.core.Bytes;
import dev.once.core.store.StoreException;
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
 *   <li>Sort them by operation: transactions of several nodes then lock rows in the same order and
 *       cannot deadlock. Writes of the same operation stay in the order they came.
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
    private Runnable telling = () -> {};

    Write(Bytes sortKey, Step<T> step) {
      this.sortKey = sortKey;
      this.step = step;
    }

    void tell() {
      telling.run();
    }

    void run(Session session, Fences fences) throws SQLException {
      try {
        T value = step.run(session, fences);
        telling = () -> result.complete(value);
      } catch (StoreException e) {
        // A record that cannot be read is one operation's misfortune, not the batch's.
        telling = () -> result.completeExceptionally(e);
      }
    }
  }

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Records records;
  private final Executor teller;
  private final BlockingQueue<Write<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Thread thread;
  private volatile boolean closed;

  // The writer thread's alone. The session is null at first, and after a failure.
  private @Nullable Session session;

  private boolean finished;

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
    if (closed && !thread.isAlive()) {
      write.result.completeExceptionally(closedException());
    }
    return write.result;
  }

  private void work() {
    List<Write<?>> batch = new ArrayList<>(MAX_BATCH);
    while (!finished) {
      try {
        batch.add(waiting.take());
      } catch (InterruptedException e) {
        // Nobody interrupts this thread but a stranger: close() sends a write. Go on.
        continue;
      }
      waiting.drainTo(batch, MAX_BATCH - 1);
      commit(batch);
      batch.clear();
    }
    waiting.forEach(write -> write.result.completeExceptionally(closedException()));
    if (session != null) {
      session.close();
    }
  }

  private void commit(List<Write<?>> batch) {
    batch.sort(Comparator.comparing(write -> write.sortKey));
    try {
      Session open = session == null ? new Session(dataSource, false) : session;
      session = open;
      Fences fences = new FenceBlock(open, batch.size());
      for (Write<?> write : batch) {
        write.run(open, fences);
      }
      open.connection().commit();
    } catch (Throwable e) {
      // Whatever it is, those who wait are told, and this thread lives on for the next batch.
      giveUpSession();
      Throwable told = e instanceof SQLException sql ? dialect.explain("a write", sql) : e;
      batch.forEach(write -> write.result.completeExceptionally(told));
      return;
    }
    List<Write<?>> committed = List.copyOf(batch);
    teller.execute(() -> committed.forEach(Write::tell));
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
  public void close() {
    if (!closed) {
      closed = true;
      Write<Boolean> last = new Write<>(Bytes.EMPTY, (open, fences) -> finished = true);
      while (!waiting.offer(last)) {
        Thread.onSpinWait();
      }
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private StoreException closedException() {
    return new StoreException(dialect.name() + ": closed (expected: open)", null);
  }

  private StoreException overloaded() {
    return new StoreException(
        dialect.name() + ": " + MAX_WAITING + " writes wait already (expected: fewer); slow down",
        null);
  }
}
