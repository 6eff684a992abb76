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
import dev.once.testing.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every step finds its row by the primary key, whatever the planner has been told about the table.
 * The server counts the rows that are read by each index ({@code userstat}).
 */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class MariaDbPlansTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));
  private static final Duration HOUR = Duration.ofHours(1);

  /** Of the table, by an index or without one. */
  private static final String ANY = "any";

  /** What the planner believes when the steps come. */
  enum Belief {
    NOTHING_RUNS("+ 86400000", true),
    ALL_HAS_EXPIRED("- 86400000", true),
    THE_TABLE_IS_EMPTY("+ 86400000", false);

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
    String url = DatabaseFixture.database(MariaDbServer.shared());
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE INDEX users_own ON idempotency_keys (status)");
      fill(statement, belief);
      Map<String, Long> before = rowsRead(statement);

      try (JdbcStore store = JdbcStore.open(url)) {
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
      inTransactions(url);

      Map<String, Long> read = readSince(before, statement);
      assertThat(read).containsOnlyKeys("PRIMARY", ANY);
      assertThat(read.get("PRIMARY")).isPositive().isEqualTo(read.get(ANY));
    }
  }

  @ParameterizedTest
  @EnumSource
  void an_owners_step_has_no_other_index_to_choose(Belief belief) throws Exception {
    String url = DatabaseFixture.database(MariaDbServer.shared());
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      fill(statement, belief);
      Sql sql = Sql.in(new MariaDbDialect());
      byte[] id = new byte[32];
      assertThat(choice(connection, sql.complete(), 200, 1, id, "done", id, 1))
          .isEqualTo("PRIMARY");
      assertThat(choice(connection, sql.renew(), 1, 1, id, 1)).isEqualTo("PRIMARY");
      assertThat(choice(connection, sql.release(), id, 1)).isEqualTo("PRIMARY");
      assertThat(choice(connection, sql.withdraw(), id, 1)).isEqualTo("PRIMARY");
      assertThat(choice(connection, sql.forceRelease(), id, 1)).isEqualTo("PRIMARY");
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_purge_reads_little_more_than_it_deletes(Belief belief) throws Exception {
    String url = DatabaseFixture.database(MariaDbServer.shared());
    try (Connection connection = DatabaseServer.connect(url);
        Statement statement = connection.createStatement()) {
      fill(statement, belief);
      Map<String, Long> before = rowsRead(statement);

      int deleted = 0;
      try (JdbcStore store = JdbcStore.open(url)) {
        for (int i = 0; i < 10; i++) {
          deleted += join(store.purgeExpired(100));
        }
      }

      assertThat(deleted).isEqualTo(belief == Belief.ALL_HAS_EXPIRED ? 1000 : 0);
      // Each row to find it, to look it up and to delete it; and each time the one after the last.
      assertThat(readSince(before, statement).getOrDefault(ANY, 0L))
          .isLessThanOrEqualTo(3L * deleted + 100);
    }
  }

  private static void fill(Statement statement, Belief belief) throws SQLException {
    if (!belief.analyzed) {
      statement.execute("ANALYZE TABLE idempotency_keys PERSISTENT FOR ALL");
    }
    statement.execute(
        """
        INSERT INTO idempotency_keys
        SELECT UNHEX(SHA2(seq, 256)), '', '', '', seq, '', seq, seq, 1, 'done', 200, 0, 0, 0,
            UNIX_TIMESTAMP() * 1000 %s, 'paid' FROM seq_1_to_20000
        """
            .formatted(belief.ttl));
    if (belief.analyzed) {
      statement.execute("ANALYZE TABLE idempotency_keys PERSISTENT FOR ALL");
    }
    statement.execute("SET GLOBAL userstat = 1");
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
      connection.commit();
    }
  }

  private static Lease claimed(JdbcStore store, String key) {
    return ((Claim.Granted) join(store.claim(request(key)))).lease();
  }

  private static ClaimRequest request(String key) {
    OperationId id = new OperationId(Scope.GLOBAL, Key.of(key));
    return new ClaimRequest(id, Fingerprint.of("pay"), System.nanoTime(), HOUR, HOUR, false);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** The indexes that the planner has looked at. */
  private static String choice(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql)) {
      for (int i = 0; i < parameters.length; i++) {
        explain.setObject(i + 1, parameters[i]);
      }
      try (ResultSet row = explain.executeQuery()) {
        row.next();
        return row.getString("possible_keys");
      }
    }
  }

  private static Map<String, Long> readSince(Map<String, Long> before, Statement statement)
      throws SQLException {
    Map<String, Long> read = rowsRead(statement);
    before.forEach((index, rows) -> read.merge(index, -rows, Long::sum));
    read.values().removeIf(rows -> rows == 0);
    return read;
  }

  private static Map<String, Long> rowsRead(Statement statement) throws SQLException {
    Map<String, Long> read = new TreeMap<>();
    String ours = " WHERE table_schema = DATABASE() AND table_name = 'idempotency_keys'";
    try (ResultSet row =
        statement.executeQuery(
            "SELECT index_name, rows_read FROM information_schema.index_statistics"
                + ours
                + " UNION ALL SELECT '"
                + ANY
                + "', rows_read"
                + " FROM information_schema.table_statistics"
                + ours)) {
      while (row.next()) {
        read.put(row.getString(1), row.getLong(2));
      }
    }
    return read;
  }
}
