package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Inspection.Counts;
import dev.once.core.store.Lease;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import dev.once.core.store.RecordFormatException;
import dev.once.core.store.spi.AnswerCodec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the rows mean.
 *
 * <p>A claim, on every database, is one statement that writes a processing record if there is none,
 * or if the one that is there has expired or may be taken over. It carries its whole condition and
 * reads the database's clock itself, so that it decides alone. Then the record is read as it is:
 * whoever's token it has owns it, and {@link #claim} says what everybody else is told.
 */
final class Records {

  private final Sql sql;
  private final String purge;

  Records(Dialect dialect) {
    this.sql = Sql.in(dialect);
    this.purge = dialect.purge();
  }

  Sql sql() {
    return sql;
  }

  /** What is to be said about a claim without a write; null if it may be granted. */
  @Nullable Claim look(Session session, ClaimRequest request) throws SQLException {
    try (ResultSet row = session.prepare(sql.find(), id(request.id())).executeQuery()) {
      return row.next() ? claim(row, request) : null;
    }
  }

  /** What this record says about a claim; null if the claim may take it. */
  static @Nullable Claim claim(ResultSet row, ClaimRequest request) throws SQLException {
    Fingerprint fingerprint = fingerprint(row);
    if (status(row) != Status.PROCESSING) {
      return new Claim.Finished(fingerprint, answer(row), timeLeft(row));
    }
    Lease lease = lease(request.id(), row);
    if (row.getLong("token") == request.token()) {
      return new Claim.Granted(lease);
    }
    Duration leaseLeft = timeLeft(row);
    if (leaseLeft.compareTo(Duration.ZERO) > 0) {
      return new Claim.Busy(fingerprint, leaseLeft);
    }
    return request.takeover() && fingerprint.equals(request.fingerprint())
        ? null
        : new Claim.Abandoned(fingerprint, lease.fence());
  }

  /** Of the lease while it runs; of the record once it has ended. */
  private static Duration timeLeft(ResultSet row) throws SQLException {
    return Duration.ofMillis(row.getLong("time_left"));
  }

  int purge(Session session, int atMost) throws SQLException {
    return session.prepare(purge, atMost).executeUpdate();
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

  static byte[] id(OperationId id) {
    return id.digest().toArray();
  }

  /** For people. Some databases' text cannot hold a zero byte; who it is, the id says exactly. */
  static String printable(String text) {
    return text.replace('\0', '\u2400');
  }

  static String text(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
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
}
