package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Lease;
import dev.once.core.OperationId;
import dev.once.core.store.AnswerCodec;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The algorithm, in SQL. Each statement reads the database's clock itself and carries its whole
 * condition, so that it is atomic by itself and may share a transaction with any others.
 *
 * <p>A claim first looks. Most claims of known keys end there: a finished or busy operation costs
 * one read and no write. If the key seems free:
 *
 * <ol>
 *   <li>Insert a record, if there is none. This is what a first request costs.
 *   <li>Else replace the one that is there, if it has expired or may be taken over.
 *   <li>Else somebody else was faster: look again, and say what they did.
 * </ol>
 */
final class Records {

  private final Sql sql;

  Records(Dialect dialect) {
    this.sql = Sql.in(dialect);
  }

  /** What is to be said about a claim without a write; null if it may be granted. */
  @Nullable Claim look(Session session, ClaimRequest request) throws SQLException {
    try (ResultSet row = session.prepare(sql.find(), id(request.id())).executeQuery()) {
      if (!row.next()) {
        return null;
      }
      Fingerprint fingerprint = fingerprint(row);
      if (status(row) != Status.PROCESSING) {
        Answer answer = answer(row);
        return new Claim.Finished(fingerprint, answer, Duration.ofMillis(row.getLong("ttl_left")));
      }
      Lease lease = lease(request.id(), row);
      if (row.getLong("token") == request.token()) {
        return new Claim.Granted(lease);
      }
      long leaseLeft = row.getLong("lease_left");
      if (leaseLeft > 0) {
        return new Claim.Busy(fingerprint, Duration.ofMillis(leaseLeft));
      }
      return request.takeover() && fingerprint.equals(request.fingerprint())
          ? null
          : new Claim.Abandoned(fingerprint, lease.fence());
    }
  }

  Claim claim(Session session, ClaimRequest request, GroupCommit.Fences fences)
      throws SQLException {
    while (true) {
      long fence = fences.next();
      int attempt = insert(session, request, fence) ? 1 : replace(session, request, fence);
      if (attempt > 0) {
        return new Claim.Granted(new Lease(request.id(), new Fence(fence), attempt));
      }
      Claim taken = look(session, request);
      if (taken != null) {
        return taken;
      }
      // It expired, or its lease ended, between two statements: now it can be had.
    }
  }

  private boolean insert(Session session, ClaimRequest request, long fence) throws SQLException {
    OperationId id = request.id();
    long lease = request.lease().toMillis();
    return session
            .prepare(
                sql.insert(),
                id(id),
                id.scope().tenant(),
                id.scope().user(),
                id.scope().route(),
                id.key().bytes().toArray(),
                request.fingerprint().encoded().toArray(),
                request.token(),
                fence,
                lease,
                lease + request.retention().toMillis())
            .executeUpdate()
        == 1;
  }

  /** Takes a record that has expired, or an owner's whose lease is over; 0 if there is none. */
  private int replace(Session session, ClaimRequest request, long fence) throws SQLException {
    byte[] fingerprint = request.fingerprint().encoded().toArray();
    long lease = request.lease().toMillis();
    try (ResultSet row =
        session
            .prepare(
                sql.replace(),
                fingerprint,
                request.token(),
                fence,
                lease,
                lease + request.retention().toMillis(),
                id(request.id()),
                request.takeover(),
                fingerprint,
                request.token())
            .executeQuery()) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  /** The first of this many fences, all higher than any before. */
  long reserveFences(Session session, int count) throws SQLException {
    try (ResultSet row = session.prepare(sql.reserveFences(), count).executeQuery()) {
      row.next();
      return row.getLong(1) - count + 1;
    }
  }

  boolean complete(Session session, Lease lease, Answer answer, byte[] encoded, Duration retention)
      throws SQLException {
    int recorded =
        session
            .prepare(
                sql.complete(),
                text(Status.of(answer.outcome())),
                answer.code(),
                retention.toMillis(),
                encoded,
                id(lease.id()),
                lease.fence().value())
            .executeUpdate();
    return recorded == 1 || isRecorded(session, lease);
  }

  /** Whether an earlier try, whose reply was lost, has recorded this lease's answer. */
  private boolean isRecorded(Session session, Lease lease) throws SQLException {
    try (ResultSet row =
        session.prepare(sql.isRecorded(), id(lease.id()), lease.fence().value()).executeQuery()) {
      return row.next();
    }
  }

  boolean release(Session session, Lease lease) throws SQLException {
    return session.prepare(sql.release(), id(lease.id()), lease.fence().value()).executeUpdate()
        == 1;
  }

  boolean renew(Session session, Lease lease, Duration length) throws SQLException {
    return session
            .prepare(
                sql.renew(),
                length.toMillis(),
                length.toMillis(),
                id(lease.id()),
                lease.fence().value())
            .executeUpdate()
        == 1;
  }

  int purge(Session session, int atMost) throws SQLException {
    return session.prepare(sql.purge(), atMost).executeUpdate();
  }

  boolean forceRelease(Session session, OperationId id, Fence seen) throws SQLException {
    return session.prepare(sql.forceRelease(), id(id), seen.value()).executeUpdate() == 1;
  }

  Optional<OperationRecord> find(Session session, OperationId id) throws SQLException {
    try (ResultSet row = session.prepare(sql.find(), id(id)).executeQuery()) {
      if (!row.next()) {
        return Optional.empty();
      }
      Status status = status(row);
      boolean ended = status != Status.PROCESSING;
      return Optional.of(
          new OperationRecord(
              lease(id, row),
              fingerprint(row),
              status,
              Instant.ofEpochMilli(row.getLong("created_at")),
              Instant.ofEpochMilli(row.getLong("lease_until")),
              ended ? Instant.ofEpochMilli(row.getLong("completed_at")) : null,
              Instant.ofEpochMilli(row.getLong("ttl_at")),
              ended ? answer(row) : null));
    }
  }

  Counts count(Session session) throws SQLException {
    long processing = 0;
    long abandoned = 0;
    long done = 0;
    long failed = 0;
    try (ResultSet row = session.prepare(sql.count()).executeQuery()) {
      while (row.next()) {
        switch (status(row)) {
          case PROCESSING -> {
            processing = row.getLong(2);
            abandoned = row.getLong(3);
          }
          case DONE -> done = row.getLong(2);
          case FAILED -> failed = row.getLong(2);
        }
      }
    }
    return new Counts(processing, abandoned, done, failed);
  }

  private static byte[] id(OperationId id) {
    return id.digest().toArray();
  }

  private static Fingerprint fingerprint(ResultSet row) throws SQLException {
    byte[] encoded = row.getBytes("request_hash");
    try {
      return Fingerprint.decode(encoded);
    } catch (IllegalArgumentException e) {
      throw new RecordFormatException("record: " + e.getMessage());
    }
  }

  private static Answer answer(ResultSet row) throws SQLException {
    byte[] encoded = row.getBytes("response_body");
    if (encoded == null) {
      throw new RecordFormatException("record: finished, but has no answer");
    }
    return AnswerCodec.decode(encoded);
  }

  private static Lease lease(OperationId id, ResultSet row) throws SQLException {
    return new Lease(id, new Fence(row.getLong("fence")), row.getInt("attempt"));
  }

  private static Status status(ResultSet row) throws SQLException {
    return Status.valueOf(row.getString("status").toUpperCase(Locale.ROOT));
  }

  private static String text(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }
}
