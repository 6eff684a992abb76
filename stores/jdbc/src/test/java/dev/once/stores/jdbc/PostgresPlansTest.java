package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.Lease;
import dev.once.testing.servers.DatabaseServer;
import dev.once.testing.servers.PgBouncer;
import dev.once.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every step finds its row by the primary key, whatever the planner has been told about the table.
 * The server counts the scans of each index.
 */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresPlansTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int TOGETHER = 300;

  /** What the planner believes when the steps come. */
  enum Belief {
    NOTHING_RUNS("now() + interval '1 day'", true),
    ALL_HAS_EXPIRED("now() - interval '1 day'", true),
    THE_TABLE_IS_EMPTY("now() + interval '1 day'", false);

    private final String ttl;
    private final boolean analyzed;

    Belief(String ttl, boolean analyzed) {
      this.ttl = ttl;
      this.analyzed = analyzed;
    }
  }

  @ParameterizedTest
  @EnumSource
  void steps_use_the_primary_key_only(Belief belief) throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    fill(
        url,
        belief,
        "CREATE INDEX users_own ON idempotency_keys (status)",
        "CREATE INDEX users_other ON idempotency_keys (ttl_at)");
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      awaitNobodyElse(statement);
      Map<String, Long> before = scans(statement);

      try (JdbcStore store = JdbcStore.open(url)) {
        alone(store);
        together(store);
      }
      inTransactions(url);

      awaitNobodyElse(statement);
      Map<String, Long> after = scans(statement);
      assertThat(after.remove("idempotency_keys_pkey"))
          .isGreaterThan(before.remove("idempotency_keys_pkey"));
      assertThat(after).isEqualTo(before).containsKeys("idempotency_keys_status", "no index");
    }
  }

  @ParameterizedTest
  @EnumSource
  void steps_use_the_primary_key_only_also_behind_a_pooler(Belief belief) throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    fill(url, belief);
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      awaitNobodyElse(statement);
      Map<String, Long> before = scans(statement);

      try (PgBouncer pooler = PgBouncer.start(url, 4);
          JdbcStore store = JdbcStore.open(pooler.url())) {
        alone(store);
        together(store);
      }

      awaitNobodyElse(statement);
      Map<String, Long> after = scans(statement);
      assertThat(after.remove("idempotency_keys_pkey"))
          .isGreaterThan(before.remove("idempotency_keys_pkey"));
      assertThat(after).isEqualTo(before).containsKeys("idempotency_keys_status", "no index");
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_purge_reads_no_more_of_the_table_than_it_deletes(Belief belief) throws Exception {
    String url = DatabaseFixture.database(PostgresServer.shared());
    fill(url, belief);
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      awaitNobodyElse(statement);
      long before = scans(statement).get("no index");

      try (JdbcStore store = JdbcStore.open(url)) {
        for (int i = 0; i < 10; i++) { // the plan may change after the fifth
          assertThat(join(store.purgeExpired(100)))
              .isEqualTo(belief == Belief.ALL_HAS_EXPIRED ? 100 : 0);
        }
      }

      awaitNobodyElse(statement);
      assertThat(scans(statement)).containsEntry("no index", before);
    }
  }

  private static void fill(String url, Belief belief, String... first) throws SQLException {
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      for (String sql : first) {
        statement.execute(sql);
      }
      statement.execute("ALTER TABLE idempotency_keys SET (autovacuum_enabled = off)");
      if (belief.analyzed) {
        statement.execute(old(belief.ttl));
        statement.execute("ANALYZE idempotency_keys");
      } else {
        statement.execute("ANALYZE idempotency_keys");
        statement.execute(old(belief.ttl));
      }
    }
  }

  private static String old(String ttl) {
    return """
        INSERT INTO idempotency_keys
        SELECT sha256(n::text::bytea), '', '', '', n::text::bytea, '', n, n, 1, 'done', 200, t, t, t,
            date_part('epoch', %s)::bigint * 1000, 'paid'
          FROM generate_series(1, 20000) n, date_part('epoch', now() - interval '2 days') t
        """
        .formatted(ttl);
  }

  private static void alone(JdbcStore store) {
    assertThat(join(store.complete(claimed(store, "a"), PAID, HOUR))).isTrue();
    assertThat(join(store.claim(request("a")))).isInstanceOf(Claim.Finished.class);
    Lease lease = claimed(store, "b");
    assertThat(join(store.renew(lease, HOUR))).isTrue();
    assertThat(join(store.release(lease))).isTrue();
    Lease forced = claimed(store, "c");
    assertThat(join(store.find(forced.id()))).isPresent();
    assertThat(join(store.forceRelease(forced.id(), forced.fence()))).isTrue();
    ClaimRequest inDoubt = request("c");
    assertThat(join(store.claim(inDoubt))).isInstanceOf(Claim.Granted.class);
    assertThat(join(store.withdraw(inDoubt.id(), inDoubt.token()))).isTrue();
  }

  private static void together(JdbcStore store) {
    List<Lease> leases =
        all(keys(), key -> store.claim(request(key))).map(PostgresPlansTest::lease).toList();
    assertThat(all(leases, lease -> store.renew(lease, HOUR))).containsOnly(true);
    assertThat(all(leases.subList(0, 100), store::release)).containsOnly(true);
    List<Lease> left = leases.subList(100, TOGETHER);
    assertThat(all(left, lease -> store.complete(lease, PAID, HOUR))).containsOnly(true);
    assertThat(all(left, lease -> store.complete(lease, PAID, HOUR))).containsOnly(true);
    assertThat(all(left, lease -> store.forceRelease(lease.id(), lease.fence())))
        .containsOnly(true);
    List<ClaimRequest> inDoubt = keys().stream().map(PostgresPlansTest::request).toList();
    assertThat(all(inDoubt, store::claim)).hasOnlyElementsOfType(Claim.Granted.class);
    assertThat(all(inDoubt, claim -> store.withdraw(claim.id(), claim.token()))).containsOnly(true);
  }

  private static void inTransactions(String url) throws Exception {
    JdbcTransactions transactions = JdbcTransactions.create();
    Operation operation =
        Operation.of(Scope.GLOBAL, Key.of("d"), Fingerprint.of("pay"), Policy.DEFAULT);
    try (Connection connection = DatabaseServer.connect(url)) {
      connection.setAutoCommit(false);
      Begun begun = transactions.begin(connection, operation);
      ((Begun.Proceed) begun).execution().release();
      connection.commit();
      assertThat(transactions.run(connection, operation, execution -> PAID))
          .isEqualTo(new Result.Executed(PAID, true));
      connection.commit();
      assertThat(transactions.run(connection, operation, execution -> PAID))
          .isEqualTo(new Result.Replayed(PAID));
    }
  }

  private static List<String> keys() {
    return IntStream.range(0, TOGETHER).mapToObj(i -> "key " + i).toList();
  }

  private static <A, T> Stream<T> all(List<A> of, Function<A, CompletionStage<T>> step) {
    List<CompletableFuture<T>> started = new ArrayList<>();
    of.forEach(each -> started.add(step.apply(each).toCompletableFuture()));
    return started.stream().map(CompletableFuture::join);
  }

  private static Lease claimed(JdbcStore store, String key) {
    return lease(join(store.claim(request(key))));
  }

  private static Lease lease(Claim claim) {
    return ((Claim.Granted) claim).lease();
  }

  private static ClaimRequest request(String key) {
    OperationId id = new OperationId(Scope.GLOBAL, Key.of(key));
    return new ClaimRequest(id, Fingerprint.of("pay"), System.nanoTime(), HOUR, HOUR, false);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** Each session tells what it has counted when it ends, and else only now and then. */
  private static void awaitNobodyElse(Statement statement) throws Exception {
    while (true) {
      try (ResultSet row =
          statement.executeQuery(
              "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")) {
        row.next();
        if (row.getInt(1) == 1) {
          return;
        }
      }
      Thread.sleep(20);
    }
  }

  private static Map<String, Long> scans(Statement statement) throws SQLException {
    statement.execute("SELECT pg_stat_force_next_flush()"); // else what it did itself comes later
    Map<String, Long> scans = new TreeMap<>();
    try (ResultSet row =
        statement.executeQuery(
            "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes"
                + " WHERE relname = 'idempotency_keys' UNION ALL"
                + " SELECT 'no index', seq_scan FROM pg_stat_user_tables"
                + " WHERE relname = 'idempotency_keys'")) {
      while (row.next()) {
        scans.put(row.getString(1), row.getLong(2));
      }
    }
    return scans;
  }
}
