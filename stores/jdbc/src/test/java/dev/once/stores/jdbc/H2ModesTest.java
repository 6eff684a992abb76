package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import dev.once.core.store.Inspection.Counts;
import java.sql.Connection;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 pretends to be other databases, and spells names as they do: the store works on each. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class H2ModesTest {

  private static final String BOOT = ";DB_CLOSE_ON_EXIT=FALSE";

  private static Operation pay(String key) {
    return Operation.of(Scope.GLOBAL, Key.of(key), Fingerprint.of("pay"), Policy.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        BOOT,
        ";MODE=PostgreSQL",
        ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
        ";MODE=MySQL",
        ";MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        ";MODE=MariaDB",
        ";MODE=Oracle",
        ";MODE=MSSQLServer",
        ";MODE=DB2",
        ";MODE=Derby",
        ";MODE=HSQLDB",
        ";MODE=LEGACY",
        ";MODE=STRICT",
        ";DATABASE_TO_UPPER=FALSE",
        ";DATABASE_TO_LOWER=TRUE",
        ";CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        ";IGNORECASE=TRUE",
        ";LAZY_QUERY_EXECUTION=TRUE",
        ";NON_KEYWORDS=VALUE,KEY",
        ";INIT=CREATE SCHEMA IF NOT EXISTS shop\\;SET SCHEMA shop"
      })
  void the_store_and_the_applications_transactions_work_in_each_mode(String options)
      throws Exception {
    String url = H2Database.newDatabase(options);
    byte[] bytes = new byte[2_000_000];
    new Random(7).nextBytes(bytes);
    Answer large = Answer.success(201, Body.of(bytes));
    try (JdbcStore store = JdbcStore.on(H2Database.dataSource(url));
        Once once = Once.on(store);
        Connection connection = H2Database.connect(url)) {
      Policy policy = Policy.DEFAULT.with(changed -> changed.maxStoredBody(bytes.length));
      Operation byLease =
          Operation.of(Scope.GLOBAL, Key.of("lease"), Fingerprint.of("pay"), policy);
      assertThat(once.run(byLease, any -> large)).isEqualTo(new Result.Executed(large, true));
      assertThat(once.run(byLease, any -> large)).isEqualTo(new Result.Replayed(large));
      Operation other =
          Operation.of(Scope.GLOBAL, Key.of("lease"), Fingerprint.of("other"), policy);
      assertThat(((Result.Refused) once.run(other, any -> large)).refusal().reason())
          .isEqualTo(Reason.MISMATCH);

      JdbcTransactions transactions = JdbcTransactions.create();
      connection.setAutoCommit(false);
      Answer paid = Answer.success(201, Body.of("paid"));
      assertThat(transactions.run(connection, pay("transaction"), any -> paid))
          .isEqualTo(new Result.Executed(paid, true));
      connection.commit();
      assertThat(transactions.run(connection, pay("transaction"), any -> large))
          .isEqualTo(new Result.Replayed(paid));
      connection.commit();
      assertThat(once.run(pay("transaction"), any -> large)).isEqualTo(new Result.Replayed(paid));

      assertThat(store.count().toCompletableFuture().join()).isEqualTo(new Counts(0, 0, 2, 0));
      assertThat(store.find(byLease.id()).toCompletableFuture().join())
          .hasValueSatisfying(record -> assertThat(record.answer()).isEqualTo(large));
      H2Database.execute(url, "UPDATE idempotency_keys SET ttl_at = 1");
      assertThat(store.purgeExpired(10).toCompletableFuture().join()).isEqualTo(2);
    }
  }
}
