package dev.once.stores.jdbc;

import dev.once.core.Bytes;
import dev.once.core.OperationId;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.stores.jdbc.Step.Claiming;
import dev.once.stores.jdbc.Step.Completing;
import dev.once.stores.jdbc.Step.ForceReleasing;
import dev.once.stores.jdbc.Step.OfOne;
import dev.once.stores.jdbc.Step.Owned;
import dev.once.stores.jdbc.Step.Renewing;
import dev.once.stores.jdbc.Step.Withdrawing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All steps in one statement, with the functions that come with the tables: one round trip and one
 * commit, however many steps there are; a withdrawal has one of its own.
 *
 * <p>Claims of the same key share a row. Any other second step of an operation, and a claim of a
 * key that became free while it was looked at, go into a statement of their own, after the others.
 */
final class PostgresBatch implements Batch {

  private static final String CLAIM =
      "SELECT id, request_hash, token, fence, attempt, status, time_left, response_body"
          + " FROM once_claim_1(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final String IDS_ONLY =
      "SELECT id, NULL::bytea AS request_hash, NULL::bigint AS token, NULL::bigint AS fence,"
          + " NULL::int AS attempt, NULL::text AS status, NULL::bigint AS time_left,"
          + " NULL::bytea AS response_body FROM ";

  private static final String COMPLETE = IDS_ONLY + "once_complete_1(?, ?, ?, ?, ?, ?) AS id";
  private static final String OWN = IDS_ONLY + "once_own_1(?, ?, ?) AS id";

  /** So that each row is found by its primary key, whatever the planner thinks of the table. */
  static final Map<String, String> PLANNING =
      new TreeMap<>(
          Map.of(
              "enable_seqscan", "off",
              "enable_hashjoin", "off",
              "enable_mergejoin", "off",
              "enable_bitmapscan", "off",
              "plan_cache_mode", "force_generic_plan"));

  private static final String SETTINGS =
      PLANNING.entrySet().stream()
          .map(setting -> "SET " + setting.getKey() + " = " + setting.getValue())
          .collect(Collectors.joining("; "));

  private static final String SETTINGS_BEFORE =
      "SELECT string_agg(format('SET %I = %L', name, current_setting(name)), '; ')"
          + (" FROM unnest(ARRAY['" + String.join("', '", PLANNING.keySet()) + "']) AS name");

  /** More rounds than this are no coincidence. */
  private static final int MAX_ROUNDS = 1000;

  private final StepByStep lone;

  /**
   * @param lone for a step that is alone: it need not pay for company
   */
  PostgresBatch(StepByStep lone) {
    this.lone = lone;
  }

  @Override
  public List<Object> run(Session session, List<Step<?>> steps) throws SQLException {
    session.tune(SETTINGS, SETTINGS_BEFORE);
    if (steps.size() == 1) {
      return lone.run(session, steps);
    }
    IdentityHashMap<Step<?>, Object> results = new IdentityHashMap<>();
    List<Step<?>> left = withdraw(session, steps, results);
    for (int round = 0; !left.isEmpty(); round++) {
      if (round == MAX_ROUNDS) {
        throw new SQLException(
            "once_claim_1: no result for %d steps after %d rounds (expected: one for each)"
                .formatted(left.size(), MAX_ROUNDS));
      }
      Map<Bytes, List<OfOne<?>>> now = new LinkedHashMap<>();
      left.forEach(step -> together(now, (OfOne<?>) step));
      results.putAll(runDistinct(session, now));
      left = left.stream().filter(step -> !results.containsKey(step)).toList();
    }
    return steps.stream().map(step -> Objects.requireNonNull(results.get(step))).toList();
  }

  /**
   * Withdrawals are rare, and no function of the tables: each has a statement of its own. They come
   * first, so that nothing else is done again if one of them meets a lock.
   */
  private List<Step<?>> withdraw(Session session, List<Step<?>> steps, Map<Step<?>, Object> results)
      throws SQLException {
    List<Step<?>> others = new ArrayList<>(steps.size());
    for (Step<?> step : steps) {
      if (step instanceof Withdrawing) {
        results.put(step, lone.run(session, List.of(step)).get(0));
      } else {
        others.add(step);
      }
    }
    return others;
  }

  /** Claims of one key that follow each other are answered by the same row. */
  private static void together(Map<Bytes, List<OfOne<?>>> steps, OfOne<?> step) {
    List<OfOne<?>> same = steps.computeIfAbsent(step.sortKey(), any -> new ArrayList<>(1));
    if (same.isEmpty() || (step instanceof Claiming && same.get(0) instanceof Claiming)) {
      same.add(step);
    }
  }

  private static IdentityHashMap<Step<?>, Object> runDistinct(
      Session session, Map<Bytes, List<OfOne<?>>> steps) throws SQLException {
    IdentityHashMap<Step<?>, Object> results = new IdentityHashMap<>();
    List<OfOne<?>> firsts = steps.values().stream().<OfOne<?>>map(same -> same.get(0)).toList();
    try (ResultSet row = statement(session, firsts).executeQuery()) {
      while (row.next()) {
        List<OfOne<?>> same = Objects.requireNonNull(steps.get(Bytes.wrap(row.getBytes("id"))));
        Object result = null;
        for (OfOne<?> step : same) {
          if (!(result instanceof Claim.Finished)) { // which is the same for all
            result = step instanceof Claiming claiming ? claim(row, claiming.request()) : true;
          }
          results.put(step, result);
        }
      }
    }
    firsts.stream()
        .filter(step -> !(step instanceof Claiming))
        .forEach(step -> results.putIfAbsent(step, false));
    results.values().removeIf(result -> result == FREE);
    return results;
  }

  /** Says of a claim that it may be granted, and was not. */
  private static final Object FREE = new Object();

  private static Object claim(ResultSet row, ClaimRequest request) throws SQLException {
    try {
      Claim claim = Records.claim(row, request);
      return claim == null ? FREE : claim;
    } catch (RuntimeException e) {
      return e;
    }
  }

  private static PreparedStatement statement(Session session, Iterable<OfOne<?>> steps)
      throws SQLException {
    List<ClaimRequest> claims = new ArrayList<>();
    List<Completing> completions = new ArrayList<>();
    List<Owned> others = new ArrayList<>();
    for (OfOne<?> step : steps) {
      if (step instanceof Claiming claiming) {
        claims.add(claiming.request());
      } else if (step instanceof Completing completing) {
        completions.add(completing);
      } else {
        others.add((Owned) step);
      }
    }
    List<String> calls = new ArrayList<>(3);
    Arguments arguments = new Arguments(session.connection());
    if (!claims.isEmpty()) {
      calls.add(CLAIM);
      arguments.claim(claims);
    }
    if (!completions.isEmpty()) {
      calls.add(COMPLETE);
      arguments.complete(completions);
    }
    if (!others.isEmpty()) {
      calls.add(OWN);
      arguments.own(others);
    }
    return session.prepare(String.join(" UNION ALL ", calls), arguments.all.toArray());
  }

  /** The steps, turned by a right angle: an array for each parameter. */
  private static final class Arguments {
    private final Connection connection;
    private final List<Object> all = new ArrayList<>();

    Arguments(Connection connection) {
      this.connection = connection;
    }

    void claim(List<ClaimRequest> claims) throws SQLException {
      add("bytea", new byte[0][], claims, claim -> Records.id(claim.id()));
      add("int8", new Long[0], claims, ClaimRequest::token);
      add("bool", new Boolean[0], claims, ClaimRequest::takeover);
      add("int8", new Long[0], claims, claim -> claim.lease().toMillis());
      add(
          "int8",
          new Long[0],
          claims,
          claim -> claim.lease().toMillis() + claim.retention().toMillis());
      add("bytea", new byte[0][], claims, claim -> claim.fingerprint().encoded().toArray());
      add("text", new String[0], claims, claim -> Records.printable(claim.id().scope().tenant()));
      add("text", new String[0], claims, claim -> Records.printable(claim.id().scope().user()));
      add("text", new String[0], claims, claim -> Records.printable(claim.id().scope().route()));
      add("bytea", new byte[0][], claims, claim -> key(claim.id()));
    }

    void complete(List<Completing> completions) throws SQLException {
      add("bytea", new byte[0][], completions, step -> Records.id(step.id()));
      add("int8", new Long[0], completions, step -> step.fence().value());
      add("text", new String[0], completions, step -> Records.text(step.status()));
      add("int4", new Integer[0], completions, Completing::code);
      add("int8", new Long[0], completions, step -> step.retention().toMillis());
      add("bytea", new byte[0][], completions, step -> step.answer().toArray());
    }

    void own(List<Owned> others) throws SQLException {
      add("bytea", new byte[0][], others, step -> Records.id(step.id()));
      add("int8", new Long[0], others, step -> step.fence().value());
      add("int8", new Long[0], others, Arguments::length);
    }

    private <T, E> void add(String type, E[] array, List<T> from, Function<T, E> element)
        throws SQLException {
      all.add(connection.createArrayOf(type, from.stream().map(element).toList().toArray(array)));
    }

    private static byte[] key(OperationId id) {
      return id.key().bytes().toArray();
    }

    private static long length(Owned step) {
      if (step instanceof Renewing renewing) {
        return renewing.length().toMillis();
      }
      return step instanceof ForceReleasing ? -1 : 0;
    }
  }
}
