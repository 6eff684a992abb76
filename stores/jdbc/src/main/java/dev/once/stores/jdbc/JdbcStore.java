package dev.once.stores.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Finding;
import dev.once.core.store.Inspection;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreException;
import dev.once.core.store.StoreUrlException;
import dev.once.core.store.spi.AnswerCodec;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in a database: PostgreSQL, MariaDB, SQLite or H2. Records are in the table {@code
 * idempotency_keys}. Thread-safe.
 *
 * <p>Steps queue up for a few lanes, each a thread with a connection, and share statements and
 * commits with whatever else is waiting ({@code WriterLanes}). A step is committed, and on disk,
 * before its stage completes.
 */
public final class JdbcStore implements Store, Inspection {

  private static final Logger log = LoggerFactory.getLogger(JdbcStore.class);

  private static final Duration CLOSING_TIME = Duration.ofSeconds(10);

  /** On a machine that is starved, one try alone may take seconds. */
  private static final Duration OPENING_TIME = Duration.ofSeconds(15);

  private static final Duration OPENING_PAUSE = Duration.ofMillis(20);

  private final Dialect dialect;
  private final Records records;
  private final WriterLanes lanes;
  private final ReaderThreads reads;
  private final @Nullable PostgresWakeUps wakeUps;
  private final int connections;
  private final Runnable whenClosed;

  JdbcStore(DataSource dataSource, Dialect dialect, Connections connections, Runnable whenClosed) {
    this.dialect = dialect;
    this.connections = connections.total();
    this.whenClosed = whenClosed;
    records = new Records(dialect);
    reads = new ReaderThreads(dataSource, dialect, connections);
    lanes =
        new WriterLanes(
            dataSource,
            dialect,
            dialect.batch(records),
            connections,
            dialect.hasOneWriter() ? reads : Runnable::run);
    wakeUps =
        connections.listens()
            ? new PostgresWakeUps(dataSource, reads, connections.maxIdle())
            : null;
  }

  /**
   * The embedded store: a SQLite file, made if it is not there. Several processes on one machine
   * may use the same file.
   *
   * @throws StoreException if the file cannot be used, with the reason and what to do
   */
  public static JdbcStore sqlite(Path file) {
    SqliteDialect dialect = new SqliteDialect(file);
    prepare(dialect, false);
    return sqlite(dialect.dataSource(), dialect);
  }

  private static void prepare(SqliteDialect dialect, boolean asked) {
    untilNotBusy(dialect, () -> dialect.prepareFile(asked));
  }

  static JdbcStore sqlite(DataSource dataSource, SqliteDialect dialect) {
    inSchema(dataSource, dialect, Schema::createOrUpgrade);
    return new JdbcStore(dataSource, dialect, Connections.all(dialect), () -> {});
  }

  /**
   * A store in the database that this is a URL of: {@code postgresql://user:password@host/database}
   * or {@code mariadb://…}, with the parameters of the database's JDBC driver. The tables must be
   * there: {@link #migrate(String)}.
   *
   * @throws StoreUrlException if the URL is wrong
   * @throws StoreException if it cannot be used, with the reason and what to do
   */
  public static JdbcStore open(String url) {
    return owning(Databases.pool(url));
  }

  private static JdbcStore owning(HikariDataSource pool) {
    try {
      return on(pool, Connections::all, pool::close);
    } catch (Throwable e) {
      pool.close();
      throw e;
    }
  }

  /**
   * A store in the database of PostgreSQL, MariaDB or H2 that the application has connections to,
   * with a small pool of its own: up to six connections (MariaDB: ten), opened when they are needed
   * and closed when they are not, but for one. So neither waits for the other. Empty if the data
   * source is not a HikariCP, and does not say how it connects: then {@link #on}.
   *
   * @throws StoreException if it cannot be used, with the reason and what to do
   */
  public static Optional<JdbcStore> beside(DataSource dataSource) {
    return Optional.ofNullable(Databases.poolLike(dataSource)).map(JdbcStore::owning);
  }

  /**
   * A store in a database of PostgreSQL, MariaDB or H2, on connections that it shares with the
   * application. Of a HikariCP it takes up to half, and at least two: some it keeps, the others it
   * gives back when it does not need them. Of any other data source it uses up to six (MariaDB:
   * ten). It leaves the data source open when it is closed. The tables must be there, unless it is
   * an H2 in memory, where nobody can have made them before: there it makes them.
   *
   * @throws StoreException if it cannot be used, or is too small, with the reason and what to do
   */
  public static JdbcStore on(DataSource dataSource) {
    OptionalInt size = Databases.sizeOf(dataSource);
    return size.isPresent()
        ? on(dataSource, size.getAsInt())
        : on(dataSource, Connections::all, () -> {});
  }

  /**
   * As {@link #on(DataSource)}, where the size of the pool is known to the caller.
   *
   * @param poolSize how many connections the data source has (three or more), of which the store
   *     takes up to half, and at least two
   */
  public static JdbcStore on(DataSource dataSource, int poolSize) {
    return on(dataSource, dialect -> Connections.within(dialect, poolSize), () -> {});
  }

  static JdbcStore on(
      DataSource dataSource, Function<Dialect, Connections> connections, Runnable whenClosed) {
    Dialect dialect = Databases.dialectOf(dataSource);
    Connections use = connections.apply(dialect);
    if (dialect.isInMemory()) {
      inSchema(dataSource, dialect, Schema::createOrUpgrade);
    }
    inSchema(dataSource, dialect, Schema::require);
    if (dialect.isThroughPooler()) {
      log.info(
          "{}: the connections go through a pooler; settings are made by each statement for itself,"
              + " and a duplicate that waits asks again, because no wake-ups come through (LISTEN)",
          dialect.name());
    }
    JdbcStore store = new JdbcStore(dataSource, dialect, use, whenClosed);
    if (use.keepsLanes()) {
      try {
        store.lanes.connect();
      } catch (SQLException e) {
        store.close();
        throw dialect.explain("opening", e);
      }
    }
    return store;
  }

  /**
   * What became of the tables.
   *
   * @param from the version that they were; 0 if there were none
   * @param to the version that they are
   */
  public record Migration(int from, int to) {

    /** For people. */
    @Override
    public String toString() {
      if (from == to) {
        return "nothing to do: the tables are there, schema version " + to;
      }
      return from == 0
          ? "created the tables: there were none, now schema version " + to
          : "upgraded the tables: was schema version " + from + ", is " + to;
    }
  }

  /** Creates the tables, or brings them to this version. Harmless if that is done already. */
  public static Migration migrate(String url) {
    try (HikariDataSource pool = Databases.pool(url)) {
      return migrate(pool);
    }
  }

  /** Creates the tables, or brings them to this version. Harmless if that is done already. */
  public static Migration migrate(DataSource dataSource) {
    return inSchema(dataSource, Databases.dialectOf(dataSource), Schema::createOrUpgrade);
  }

  /** What {@link #sqlite} does by itself: makes the file and its tables, or upgrades them. */
  public static Migration migrateSqlite(Path file) {
    SqliteDialect dialect = new SqliteDialect(file);
    prepare(dialect, true);
    return inSchema(dialect.dataSource(), dialect, Schema::createOrUpgrade);
  }

  /** Whether this database is fit to hold keys, and what about it a person should know. */
  public static List<Finding> check(String url) {
    try (HikariDataSource pool = Databases.pool(url)) {
      return DatabaseCheck.of(pool, Databases.dialectOf(pool));
    }
  }

  /** {@link #check} of a SQLite file; one that is not there is not made. */
  public static List<Finding> checkSqlite(Path file) {
    return SqliteCheck.of(file);
  }

  private interface SchemaWork<T> {
    T run(Session session, Dialect dialect) throws SQLException;
  }

  private static <T> T inSchema(DataSource dataSource, Dialect dialect, SchemaWork<T> work) {
    return untilNotBusy(
        dialect,
        () -> {
          try (Session session = new Session(dataSource, dialect)) {
            return work.run(session, dialect);
          }
        });
  }

  /**
   * Others may make the file or its tables at the same time: then this one looks again. SQLite says
   * busy at once, however long it was told to wait, to whoever has read and wants to write what
   * another is writing.
   */
  private static <T> T untilNotBusy(Dialect dialect, Session.Work<T> opening) {
    long deadline = System.nanoTime() + OPENING_TIME.toNanos();
    while (true) {
      try {
        return opening.run();
      } catch (SQLException e) {
        if (!dialect.isBusy(e) || System.nanoTime() - deadline > 0) {
          throw dialect.explain("opening", e);
        }
        LockSupport.parkNanos(OPENING_PAUSE.toNanos());
      }
    }
  }

  /** How many connections it uses at most. */
  public int connections() {
    return connections;
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    if (wakeUps != null) {
      wakeUps.used();
    }
    Step<Claim> step = new Step.Claiming(request);
    if (!dialect.hasOneWriter()) {
      return lanes.submit(step);
    }
    CompletableFuture<Claim> taken = lanes.takeHere(step);
    if (taken != null) {
      return taken;
    }
    return reads
        .submit(session -> Optional.ofNullable(records.look(session, request)))
        .thenCompose(
            seen ->
                seen.isPresent()
                    ? CompletableFuture.completedFuture(seen.get())
                    : lanes.submit(step));
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    try {
      capabilities().requireFit(answer);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
    return ending(
        new Step.Completing(
            lease,
            OperationRecord.Status.of(answer.outcome()),
            answer.code(),
            Bytes.wrap(AnswerCodec.encode(answer, dialect.compressFrom())),
            retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return ending(new Step.Releasing(lease.id(), lease.fence()));
  }

  @Override
  public CompletionStage<Boolean> withdraw(OperationId id, long token) {
    return ending(new Step.Withdrawing(id, token));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return lanes.submit(new Step.Renewing(lease.id(), lease.fence(), length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return dialect.hasOneWriter()
        ? lanes.submit(new Step.Purging(atMost))
        : reads.submit(session -> records.purge(session, atMost));
  }

  @Override
  public StoreCapabilities capabilities() {
    return new StoreCapabilities(
        dialect.isDurable(), true, wakeUps != null, true, Policy.MAX_STORED_BODY);
  }

  @Override
  public Watch watch(OperationId id, Runnable wake) {
    return wakeUps == null ? Store.super.watch(id, wake) : wakeUps.watch(id, wake);
  }

  @Override
  public Inspection inspection() {
    return this;
  }

  @Override
  public CompletionStage<Optional<OperationRecord>> find(OperationId id) {
    return reads.submit(session -> records.find(session, id));
  }

  @Override
  public CompletionStage<Counts> count() {
    return reads.submit(records::count);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(OperationId id, Fence seen) {
    return ending(new Step.ForceReleasing(id, seen));
  }

  private CompletionStage<Boolean> ending(Step.OfOne<Boolean> step) {
    CompletableFuture<Boolean> result = lanes.submit(step);
    PostgresWakeUps waking = wakeUps;
    return waking == null
        ? result
        : result.thenApply(
            done -> {
              if (done) {
                waking.ended(step.id());
              }
              return done;
            });
  }

  /**
   * Commits what was asked for before, then closes the connections. A database that is silent is
   * waited for no longer than ten seconds.
   */
  @Override
  public void close() {
    long deadline = System.nanoTime() + CLOSING_TIME.toNanos();
    if (wakeUps != null) {
      wakeUps.close();
    }
    int left = lanes.close(deadline) + reads.close(deadline);
    left += wakeUps != null && wakeUps.isAlive() ? 1 : 0;
    if (left > 0) {
      log.warn(
          "{}: closed, but {} threads still wait for the database after {} (expected: none)."
              + " Whether it takes their steps is not known. The threads end when the data source or the"
              + " network gives up",
          dialect.name(),
          left,
          CLOSING_TIME);
    }
    whenClosed.run();
  }
}
