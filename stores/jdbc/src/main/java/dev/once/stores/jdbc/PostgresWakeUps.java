package dev.once.stores.jdbc;

import dev.once.core.OperationId;
import dev.once.core.store.Store.Watch;
import dev.once.core.store.spi.Watchers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Wakes those who wait for an operation on another node, by NOTIFY and LISTEN.
 *
 * <p>A NOTIFY makes all commits of a database queue up, so there is none unless somebody waits:
 *
 * <ol>
 *   <li>Who waits tells all nodes: {@code wait ID}. Each node remembers it.
 *   <li>Who ends an operation that somebody waits for, or has ended it lately when hearing that
 *       somebody does, tells all nodes: {@code end ID}.
 *   <li>Who waits on the node that ends it is woken without the database.
 * </ol>
 *
 * These are hints. One that is lost, with a connection, costs a waiter the time until it asks again
 * by itself.
 */
final class PostgresWakeUps implements AutoCloseable {

  private static final String CHANNEL = "once";

  /** Not worth a flush to disk. */
  private static final String NOTIFY =
      "SELECT set_config('synchronous_commit', 'off', true), pg_notify('" + CHANNEL + "', ?)";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  /** How long the listener waits before it looks whether it is to end. */
  private static final Duration LOOK = Duration.ofMillis(100);

  /** After which the listener asks whether the server is still there, and for its reply. */
  private static final Duration LONGEST_QUIET = Duration.ofSeconds(5);

  private static final int MAX_AWAITED = 10_000;

  /** More than end while an announcement is under way. A power of two. */
  private static final int LATELY = 4096;

  private final DataSource dataSource;
  private final ReaderThreads reads;
  private final Watchers watchers = new Watchers();

  /** So that a node does not heed its own voice. */
  private final String node = UUID.randomUUID().toString();

  /** An operation that is waited for here, and by how many. */
  private record Awaited(OperationId id, int watches) {}

  /** What is waited for here, by its name on the wire. */
  private final Map<String, Awaited> here = new ConcurrentHashMap<>();

  /** What is waited for elsewhere; the oldest is forgotten first. */
  private final Map<String, Boolean> elsewhere =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > MAX_AWAITED;
            }
          });

  /** What ended here lately, each in the place that its name has; whoever comes later takes it. */
  private final AtomicReferenceArray<@Nullable String> lately = new AtomicReferenceArray<>(LATELY);

  private final Thread thread;
  private final Duration maxIdle;
  private volatile boolean closed;
  private volatile long usedAt = System.nanoTime();
  private volatile boolean asleep;
  private volatile @Nullable Connection connection;

  /**
   * @param maxIdle after which it listens no more, if nobody uses the store
   */
  PostgresWakeUps(DataSource dataSource, ReaderThreads reads, Duration maxIdle) {
    this.dataSource = dataSource;
    this.reads = reads;
    this.maxIdle = maxIdle;
    this.thread = new Thread(this::work, "once-postgresql-listener");
    thread.setDaemon(true);
    thread.start();
  }

  /** The store is used: it is worth a connection to listen. */
  void used() {
    usedAt = System.nanoTime();
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  private boolean isUnused() {
    return here.isEmpty() && System.nanoTime() - usedAt > maxIdle.toNanos();
  }

  Watch watch(OperationId id, Runnable wake) {
    used();
    Watch watch = watchers.add(id, wake);
    String name = name(id);
    Awaited awaited =
        here.merge(name, new Awaited(id, 1), (old, one) -> new Awaited(id, old.watches + 1));
    if (awaited.watches == 1) {
      tell("wait " + name + " " + node);
    }
    return () -> {
      watch.close();
      here.computeIfPresent(
          name, (any, old) -> old.watches == 1 ? null : new Awaited(id, old.watches - 1));
    };
  }

  /** The operation has ended, and that is committed. */
  void ended(OperationId id) {
    watchers.wake(id);
    String name = name(id);
    lately.set(place(name), name);
    if (!elsewhere.isEmpty() && elsewhere.remove(name) != null) {
      tell("end " + name);
    }
  }

  private void tell(String message) {
    reads.submit(session -> session.prepare(NOTIFY, message).execute());
  }

  private static String name(OperationId id) {
    return id.digest().toHex();
  }

  private static int place(String name) {
    return name.hashCode() & (LATELY - 1);
  }

  private void work() {
    while (!closed) {
      awaitUse();
      if (!closed) {
        listen();
      }
    }
  }

  private void awaitUse() {
    asleep = true;
    while (!closed && isUnused()) {
      LockSupport.park(this);
    }
    asleep = false;
  }

  private void listen() {
    try (Connection open = dataSource.getConnection();
        Statement statement = open.createStatement()) {
      boolean autoCommitBefore = open.getAutoCommit();
      open.setAutoCommit(true);
      connection = open;
      statement.execute("LISTEN " + CHANNEL);
      PGConnection notified = open.unwrap(PGConnection.class);
      long heardAt = System.nanoTime();
      while (!closed && !isUnused()) {
        PGNotification[] heard = notified.getNotifications((int) LOOK.toMillis());
        if (heard != null && heard.length > 0) {
          heardAt = System.nanoTime();
        } else if (System.nanoTime() - heardAt > LONGEST_QUIET.toNanos()) {
          probe(open, statement);
          heardAt = System.nanoTime();
        }
        for (PGNotification notification : heard == null ? new PGNotification[0] : heard) {
          hear(notification.getParameter());
        }
      }
      statement.execute("UNLISTEN " + CHANNEL);
      open.setAutoCommit(autoCommitBefore);
      connection = null; // it is somebody else's now
    } catch (SQLException e) {
      // Until it is back, those who wait ask by themselves.
      if (!closed) {
        LockSupport.parkNanos(CONNECT_TIMEOUT.toNanos());
      }
    }
  }

  /** Whoever only listens takes a connection that is dead for one on which nobody speaks. */
  private static void probe(Connection open, Statement statement) throws SQLException {
    int before = open.getNetworkTimeout();
    open.setNetworkTimeout(Runnable::run, (int) LONGEST_QUIET.toMillis());
    statement.execute("SELECT 1");
    open.setNetworkTimeout(Runnable::run, before);
  }

  private void hear(String message) {
    List<String> words = List.of(message.split(" "));
    if (words.get(0).equals("wait") && words.size() == 3 && !words.get(2).equals(node)) {
      String name = words.get(1);
      elsewhere.put(name, true);
      // In this order: it may be ending right now. It stays there: it may run again by now.
      if (name.equals(lately.get(place(name)))) {
        tell("end " + name);
      }
    } else if (words.get(0).equals("end") && words.size() == 2) {
      Awaited awaited = here.get(words.get(1));
      if (awaited != null) {
        watchers.wake(awaited.id);
      }
    }
  }

  /** Whether its thread is still there. */
  boolean isAlive() {
    return thread.isAlive();
  }

  /** The connection goes back as it was; one whose server does not answer is given up. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CONNECT_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Connection open = connection;
    if (open != null && thread.isAlive()) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        // It is closed already.
      }
    }
  }
}
