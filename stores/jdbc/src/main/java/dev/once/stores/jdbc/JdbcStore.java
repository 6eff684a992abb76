package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Bytes;
import dev.once.core.Fence;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.store.AnswerCodec;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.Store;
import dev.once.core.store.StoreCapabilities;
import dev.once.core.store.StoreException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * A store in a database: records in the table {@code idempotency_keys}, which it creates and
 * upgrades by itself. Thread-safe.
 *
 * <p>Claims of known keys are answered by a read. Everything that writes goes through one queue and
 * shares transactions with whatever else is waiting ({@code GroupCommit}); it is committed, and on
 * disk, before its stage completes.
 */
public final class JdbcStore implements Store, Inspection {

  private static final int READER_THREADS = 2;

  private static final Duration OPENING_TIME = Duration.ofSeconds(5);
  private static final Duration OPENING_PAUSE = Duration.ofMillis(20);

  private final Records records;
  private final GroupCommit writes;
  private final Reads reads;

  JdbcStore(DataSource dataSource, Dialect dialect) {
    createOrUpgrade(dataSource, dialect);
    records = new Records(dialect);
    reads = new Reads(dataSource, dialect, READER_THREADS);
    writes = new GroupCommit(dataSource, dialect, records, reads);
  }

  /**
   * The embedded store: a SQLite file, made if it is not there. Several processes on one machine
   * may use the same file.
   *
   * @throws StoreException if the file cannot be used, with the reason and what to do
   */
  public static JdbcStore sqlite(Path file) {
    SqliteDialect dialect = new SqliteDialect(file);
    return new JdbcStore(dialect.dataSource(), dialect);
  }

  /** Others may create it at the same time: then this one looks again. */
  private static void createOrUpgrade(DataSource dataSource, Dialect dialect) {
    long deadline = System.nanoTime() + OPENING_TIME.toNanos();
    while (true) {
      try (Session session = new Session(dataSource, false)) {
        Schema.createOrUpgrade(session, dialect);
        return;
      } catch (SQLException e) {
        if (!dialect.isBusy(e) || System.nanoTime() - deadline > 0) {
          throw dialect.explain("opening", e);
        }
        LockSupport.parkNanos(OPENING_PAUSE.toNanos());
      }
    }
  }

  @Override
  public CompletionStage<Claim> claim(ClaimRequest request) {
    return reads
        .submit(session -> Optional.ofNullable(records.look(session, request)))
        .thenCompose(
            seen ->
                seen.isPresent()
                    ? CompletableFuture.completedFuture(seen.get())
                    : writes.submit(
                        request.id().digest(),
                        (session, fences) -> records.claim(session, request, fences)));
  }

  @Override
  public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
    try {
      capabilities().requireFit(answer);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
    byte[] encoded = AnswerCodec.encode(answer);
    return writes.submit(
        lease.id().digest(),
        (session, fences) -> records.complete(session, lease, answer, encoded, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Lease lease) {
    return writes.submit(lease.id().digest(), (session, fences) -> records.release(session, lease));
  }

  @Override
  public CompletionStage<Boolean> renew(Lease lease, Duration length) {
    return writes.submit(
        lease.id().digest(), (session, fences) -> records.renew(session, lease, length));
  }

  @Override
  public CompletionStage<Integer> purgeExpired(int atMost) {
    return writes.submit(Bytes.EMPTY, (session, fences) -> records.purge(session, atMost));
  }

  @Override
  public StoreCapabilities capabilities() {
    return new StoreCapabilities(true, true, false, false, Policy.MAX_STORED_BODY);
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
    return writes.submit(id.digest(), (session, fences) -> records.forceRelease(session, id, seen));
  }

  /** Commits what was asked for before, then closes the connections. */
  @Override
  public void close() {
    writes.close();
    reads.close();
  }
}
