package dev.once.stores.jdbc;

import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.stores.jdbc.Step.Claiming;
import dev.once.stores.jdbc.Step.Completing;
import dev.once.stores.jdbc.Step.ForceReleasing;
import dev.once.stores.jdbc.Step.Owned;
import dev.once.stores.jdbc.Step.Purging;
import dev.once.stores.jdbc.Step.Renewing;
import dev.once.stores.jdbc.Step.Withdrawing;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement for each step. */
final class StepByStep implements Batch {

  /** Whoever cannot see what another has inserted is not to ask for ever. */
  private static final int MAX_INSERTED_BY_OTHERS = 5;

  private final Dialect dialect;
  private final Records records;
  private final Sql sql;
  private final String claim;
  private final @Nullable String reserveFences;
  private final boolean looksFirst;

  StepByStep(Dialect dialect, Records records) {
    this.dialect = dialect;
    this.records = records;
    this.sql = records.sql();
    this.claim = dialect.claim();
    this.reserveFences = dialect.reserveFences();
    this.looksFirst = dialect.hasOneWriter();
  }

  @Override
  public List<Object> run(Session session, List<Step<?>> steps) throws SQLException {
    List<Object> results =
        steps.size() == 1 && reserveFences == null
            ? runAll(session, steps)
            : session.inTransaction(() -> runAll(session, steps));
    if (endsPurge(steps, results)) {
      dialect.forgetDeleted(session);
    }
    return results;
  }

  /** Whether nothing is left to be purged for now. */
  private static boolean endsPurge(List<Step<?>> steps, List<Object> results) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i) instanceof Purging purging
          && results.get(i) instanceof Integer purged
          && purged < purging.atMost()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Object runOne(Session session, Step<?> step) throws SQLException {
    if (looksFirst && step instanceof Claiming claiming) {
      try {
        Claim seen = records.look(session, claiming.request());
        if (seen != null) {
          return seen;
        }
      } catch (RuntimeException e) {
        return e;
      }
    }
    return run(session, List.of(step)).get(0);
  }

  private List<Object> runAll(Session session, List<Step<?>> steps) throws SQLException {
    FenceBlock fences = new FenceBlock(session, steps.size());
    List<Object> results = new ArrayList<>(steps.size());
    for (Step<?> step : steps) {
      try {
        results.add(run(session, step, fences));
      } catch (RuntimeException e) {
        results.add(e);
      }
    }
    return results;
  }

  private Object run(Session session, Step<?> step, FenceBlock fences) throws SQLException {
    if (step instanceof Claiming claiming) {
      return claim(session, claiming.request(), fences);
    }
    if (step instanceof Purging purging) {
      int purged = records.purge(session, purging.atMost());
      dialect.giveBackRoom(session);
      return purged;
    }
    return (step instanceof Withdrawing withdrawing
            ? withdraw(session, withdrawing)
            : own(session, (Owned) step))
        == 1;
  }

  private Claim claim(Session session, ClaimRequest request, FenceBlock fences)
      throws SQLException {
    for (int tries = 1; ; tries++) {
      Claim decided = tryToClaim(session, claim, 0, request, fences.next(), tries);
      if (decided == null) {
        decided = records.look(session, request);
      }
      if (decided != null) {
        return decided;
      }
      // It expired, or its lease ended, between two statements: now it can be had.
    }
  }

  /**
   * Claims in a transaction that is open, and is not ended here. Whoever has claimed the same key
   * in another one is waited for. Where a counter gives the fences it is raised only if one was
   * taken: to claim is to hold it.
   */
  Claim claimInTransaction(Session session, Dialect.InTransaction claim, ClaimRequest request)
      throws SQLException {
    long fence = reserveFences == null ? 0 : 1;
    for (int tries = 1; ; tries++) {
      Claim decided =
          tryToClaim(session, claim.sql(), claim.resultsBefore(), request, fence, tries);
      if (decided instanceof Claim.Granted && reserveFences != null) {
        session.prepare(reserveFences, 1).executeQuery().close();
      }
      if (decided == null) {
        // Left alone; or written by somebody who was waited for, and not seen by this statement.
        decided = records.look(session, request);
      }
      if (decided != null) {
        return decided;
      }
    }
  }

  private @Nullable Claim tryToClaim(
      Session session, String sql, int resultsBefore, ClaimRequest request, long fence, int tries)
      throws SQLException {
    OperationId id = request.id();
    long lease = request.lease().toMillis();
    PreparedStatement statement =
        session.prepare(
            sql,
            Records.id(id),
            Records.printable(id.scope().tenant()),
            Records.printable(id.scope().user()),
            Records.printable(id.scope().route()),
            id.key().bytes().toArray(),
            request.fingerprint().encoded().toArray(),
            request.token(),
            fence,
            lease,
            lease + request.retention().toMillis(),
            request.takeover());
    try {
      statement.execute();
    } catch (SQLException e) {
      if (dialect.isInsertedByAnother(e) && tries < MAX_INSERTED_BY_OTHERS) {
        return null;
      }
      throw e;
    }
    for (int i = 0; i < resultsBefore; i++) {
      statement.getMoreResults();
    }
    try (ResultSet row = statement.getResultSet()) {
      return row.next() ? Records.claim(row, request) : null;
    }
  }

  private int withdraw(Session session, Withdrawing step) throws SQLException {
    return session.prepare(sql.withdraw(), Records.id(step.id()), step.token()).executeUpdate();
  }

  private int own(Session session, Owned step) throws SQLException {
    byte[] id = Records.id(step.id());
    long fence = step.fence().value();
    if (step instanceof Completing done) {
      return session
          .prepare(
              sql.complete(),
              done.code(),
              done.retention().toMillis(),
              done.answer().toArray(),
              Records.text(done.status()),
              id,
              fence)
          .executeUpdate();
    }
    if (step instanceof Renewing renewing) {
      long length = renewing.length().toMillis();
      return session.prepare(sql.renew(), length, length, id, fence).executeUpdate();
    }
    String release = step instanceof ForceReleasing ? sql.forceRelease() : sql.release();
    return session.prepare(release, id, fence).executeUpdate();
  }

  /** Fences for one transaction: reserved together, when the first one is asked for. */
  private final class FenceBlock {
    private final Session session;
    private final int size;
    private int used;

    FenceBlock(Session session, int size) {
      this.session = session;
      this.size = size;
    }

    /** Relative to the counter; 0 where the claim itself counts. */
    long next() throws SQLException {
      if (reserveFences == null) {
        return 0;
      }
      if (used % size == 0) {
        session.prepare(reserveFences, size).executeQuery().close();
        used = 0;
      }
      return 1L - size + used++;
    }
  }
}
