package dev.once.stores.jdbc;

import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.OperationRecord.Status;
import dev.once.stores.jdbc.Step.Claiming;
import dev.once.stores.jdbc.Step.Completing;
import dev.once.stores.jdbc.Step.OfOne;
import dev.once.stores.jdbc.Step.Owned;
import dev.once.stores.jdbc.Step.Releasing;
import dev.once.stores.jdbc.Step.Renewing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * All steps in one call of the function {@code once_steps_1}, which comes with the tables: one
 * statement, one round trip and one commit, however many steps there are.
 */
final class PostgresBatch implements Batch {

  private static final String CALL = "SELECT * FROM once_steps_1(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final byte[] NOTHING = {};

  @Override
  public List<Object> run(Session session, List<Step<?>> steps) throws SQLException {
    List<Object> results = new ArrayList<>(steps.size());
    try (ResultSet row = new Arguments(steps).in(session).executeQuery()) {
      for (Step<?> step : steps) {
        if (!row.next()) {
          throw new SQLException("once_steps_1: " + results.size() + " rows, too few");
        }
        results.add(result(step, row));
      }
    }
    return results;
  }

  private static Object result(Step<?> step, ResultSet row) throws SQLException {
    if (!(step instanceof Claiming claiming)) {
      return row.getBoolean("done");
    }
    try {
      Claim claim = Records.claim(row, claiming.request());
      return claim == null ? new IllegalStateException("once_steps_1: left a free key") : claim;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /** The steps, turned by a right angle: an array for each parameter. */
  private static final class Arguments {
    private final Integer[] what;
    private final byte[][] ids;
    private final Long[] a;
    private final Long[] b;
    private final Long[] c;
    private final byte[][] data;
    private final String[] tenants;
    private final String[] users;
    private final String[] routes;
    private final byte[][] keys;

    Arguments(List<Step<?>> steps) {
      int size = steps.size();
      what = new Integer[size];
      ids = new byte[size][];
      a = new Long[size];
      b = new Long[size];
      c = new Long[size];
      data = new byte[size][];
      tenants = new String[size];
      users = new String[size];
      routes = new String[size];
      keys = new byte[size][];
      for (int i = 0; i < size; i++) {
        OfOne<?> step = (OfOne<?>) steps.get(i);
        ids[i] = Records.id(step.id());
        if (step instanceof Claiming claiming) {
          claim(i, claiming.request());
        } else {
          own(i, (Owned) step);
        }
      }
    }

    private void claim(int i, ClaimRequest request) {
      OperationId id = request.id();
      long lease = request.lease().toMillis();
      what[i] = request.takeover() ? 2 : 1;
      a[i] = request.token();
      b[i] = lease;
      c[i] = lease + request.retention().toMillis();
      data[i] = request.fingerprint().encoded().toArray();
      tenants[i] = printable(id.scope().tenant());
      users[i] = printable(id.scope().user());
      routes[i] = printable(id.scope().route());
      keys[i] = id.key().bytes().toArray();
    }

    private void own(int i, Owned step) {
      a[i] = step.fence().value();
      b[i] = 0L;
      c[i] = 0L;
      data[i] = NOTHING;
      tenants[i] = "";
      users[i] = "";
      routes[i] = "";
      keys[i] = NOTHING;
      if (step instanceof Completing done) {
        what[i] = done.status() == Status.DONE ? 3 : 4;
        b[i] = done.retention().toMillis();
        c[i] = (long) done.code();
        data[i] = done.answer().toArray();
      } else if (step instanceof Renewing renewing) {
        what[i] = 6;
        b[i] = renewing.length().toMillis();
      } else {
        what[i] = step instanceof Releasing ? 5 : 7;
      }
    }

    /** PostgreSQL's text cannot hold a zero byte; who it is, the id says exactly. */
    private static String printable(String text) {
      return text.replace('\0', '\u2400');
    }

    PreparedStatement in(Session session) throws SQLException {
      Connection connection = session.connection();
      return session.prepare(
          CALL,
          connection.createArrayOf("int4", what),
          connection.createArrayOf("bytea", ids),
          connection.createArrayOf("int8", a),
          connection.createArrayOf("int8", b),
          connection.createArrayOf("int8", c),
          connection.createArrayOf("bytea", data),
          connection.createArrayOf("text", tenants),
          connection.createArrayOf("text", users),
          connection.createArrayOf("text", routes),
          connection.createArrayOf("bytea", keys));
    }
  }
}
