package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Bytes;
import dev.once.core.Execution;
import dev.once.core.ExecutionEndedException;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Handler;
import dev.once.core.Header;
import dev.once.core.Key;
import dev.once.core.NotRunException;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** One client at a time. */
@ParameterizedClass
@EnumSource(ShopDatabase.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class JdbcTransactionsTest {

  private static final Answer PAID =
      Answer.success(201, Body.of("paid")).withHeaders(List.of(new Header("Location", "/pay/1")));

  @Parameter ShopDatabase shop;
  private final JdbcTransactions transactions = JdbcTransactions.create();

  @BeforeEach
  void empty() {
    shop.url();
    shop.empty();
  }

  private static Operation pay(String key) {
    return pay(key, policy -> policy);
  }

  private static Operation pay(String key, UnaryOperator<Policy.Builder> changes) {
    return Operation.of(
        Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT.with(changes));
  }

  private static Handler<Answer> paying(Connection connection, Answer answer) {
    return execution -> {
      ShopDatabase.pay(connection);
      return answer;
    };
  }

  private Result payAndCommit(Operation operation) throws Exception {
    return payAndCommit(operation, PAID);
  }

  private Result payAndCommit(Operation operation, Answer answer) throws Exception {
    try (Connection connection = shop.connect()) {
      Result result = transactions.run(connection, operation, paying(connection, answer));
      connection.commit();
      return result;
    }
  }

  private static Reason reason(Result result) {
    return ((Result.Refused) result).refusal().reason();
  }

  @Test
  void the_first_request_runs_and_a_retry_gets_its_answer() throws Exception {
    assertThat(payAndCommit(pay("key"))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(payAndCommit(pay("key"))).isEqualTo(new Result.Replayed(PAID));
    assertThat(payAndCommit(pay("other key"))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(shop.payments()).isEqualTo(2);
  }

  @Test
  void nothing_is_there_until_the_commit_and_then_all_of_it() throws Exception {
    try (Connection connection = shop.connect()) {
      transactions.run(connection, pay("key"), paying(connection, PAID));
      assertThat(shop.records()).isZero();
      assertThat(shop.payments()).isZero();
      connection.commit();
    }
    assertThat(shop.number("SELECT count(*) FROM idempotency_keys WHERE status = 'done'")).isOne();
    assertThat(shop.payments()).isOne();
  }

  @Test
  void a_rollback_leaves_nothing_and_the_retry_runs() throws Exception {
    try (Connection connection = shop.connect()) {
      transactions.run(connection, pay("key"), paying(connection, PAID));
      connection.rollback();
    }
    assertThat(shop.records()).isZero();
    assertThat(payAndCommit(pay("key"))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(shop.payments()).isOne();
  }

  @Test
  void the_same_key_for_another_request_is_refused() throws Exception {
    payAndCommit(pay("key"));
    Operation other =
        Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("pay 99"), Policy.DEFAULT);
    assertThat(reason(payAndCommit(other))).isEqualTo(Reason.MISMATCH);
    assertThat(shop.payments()).isOne();
  }

  @Test
  void an_expired_key_is_new_and_has_a_higher_fence() throws Exception {
    Operation operation = pay("key", policy -> policy.retention(Duration.ofMinutes(5)));
    Fence first = fenceOf(operation);
    shop.timePasses(Duration.ofMinutes(6));
    assertThat(fenceOf(operation)).isGreaterThan(first);
  }

  private Fence fenceOf(Operation operation) throws Exception {
    AtomicReference<Fence> fence = new AtomicReference<>();
    try (Connection connection = shop.connect()) {
      transactions.run(
          connection,
          operation,
          execution -> {
            assertThat(execution.attempt()).isOne();
            fence.set(execution.fence().orElseThrow());
            return PAID;
          });
      connection.commit();
    }
    assertThat(fence.get()).as("it ran").isNotNull();
    return fence.get();
  }

  @Test
  void a_connection_that_commits_by_itself_is_refused_and_nothing_is_written() throws Exception {
    try (Connection connection = shop.dataSource().getConnection()) {
      assertThatThrownBy(() -> transactions.run(connection, pay("key"), any -> PAID))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit (expected: a transaction)")
          .hasMessageContaining("setAutoCommit(false)");
    }
    assertThat(shop.records()).isZero();
  }

  // How an execution ends.

  @Test
  void what_the_handler_throws_passes_through_and_a_rollback_leaves_nothing() throws Exception {
    try (Connection connection = shop.connect()) {
      assertThatThrownBy(() -> payAndThrow(connection, pay("key")))
          .isInstanceOf(ArithmeticException.class);
      connection.rollback();
    }
    assertThat(payAndCommit(pay("key"))).isInstanceOf(Result.Executed.class);
    assertThat(shop.payments()).isOne();
  }

  private void payAndThrow(Connection connection, Operation operation) throws Exception {
    transactions.run(
        connection,
        operation,
        execution -> {
          ShopDatabase.pay(connection);
          throw new ArithmeticException("no change");
        });
  }

  @Test
  void half_an_operation_that_is_committed_all_the_same_is_for_the_crash_policy() throws Exception {
    Operation unknown = pay("key");
    try (Connection connection = shop.connect()) {
      assertThatThrownBy(() -> payAndThrow(connection, unknown))
          .isInstanceOf(ArithmeticException.class);
      connection.commit();
    }
    assertThat(reason(payAndCommit(unknown))).isEqualTo(Reason.BUSY);
    shop.timePasses(unknown.policy().lease());
    assertThat(reason(payAndCommit(unknown))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(reason(payAndCommit(pay("key", policy -> policy.onCrash(OnCrash.HOLD)))))
        .isEqualTo(Reason.BUSY);
    assertThat(shop.payments()).isOne();
    try (Connection connection = shop.connect()) {
      transactions.run(
          connection,
          pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN)),
          execution -> {
            assertThat(execution.attempt()).isEqualTo(2);
            return PAID;
          });
      connection.commit();
    }
    assertThat(payAndCommit(unknown)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void a_handler_that_did_nothing_frees_the_key_even_if_that_is_committed() throws Exception {
    try (Connection connection = shop.connect()) {
      assertThatThrownBy(
              () ->
                  transactions.run(
                      connection,
                      pay("key"),
                      execution -> {
                        throw new NotRunException("closed today");
                      }))
          .isInstanceOf(NotRunException.class);
      connection.commit();
    }
    assertThat(payAndCommit(pay("key"))).isInstanceOf(Result.Executed.class);
  }

  @Test
  void an_answer_that_the_policy_does_not_keep_frees_the_key() throws Exception {
    Operation operation = pay("key", policy -> policy.onRejection(OnEnd.RELEASE));
    Answer poor = Answer.rejection(402, Body.of("no money"));
    try (Connection connection = shop.connect()) {
      assertThat(transactions.run(connection, operation, any -> poor))
          .isEqualTo(new Result.Executed(poor, false));
      connection.commit();
    }
    assertThat(payAndCommit(operation)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void failures_are_kept_if_the_policy_says_so() throws Exception {
    Answer down = Answer.failure(503, Body.of("try later"));
    payAndCommit(pay("key"), down);
    assertThat(payAndCommit(pay("key"))).isEqualTo(new Result.Replayed(down));
    assertThat(shop.number("SELECT code FROM idempotency_keys WHERE status = 'failed'"))
        .isEqualTo(503);
  }

  @Test
  void of_an_answer_only_what_the_policy_keeps_is_kept() throws Exception {
    Operation status = pay("status", policy -> policy.keep(Keep.STATUS_ONLY));
    assertThat(payAndCommit(status)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(payAndCommit(status))
        .isEqualTo(new Result.Replayed(Answer.success(201, new Body.Omitted())));

    Operation small = pay("small", policy -> policy.maxStoredBody(3));
    assertThat(payAndCommit(small)).isEqualTo(new Result.Executed(PAID, true));
    Answer replayed = ((Result.Replayed) payAndCommit(small)).answer();
    assertThat(replayed.body()).isInstanceOf(Body.Digest.class);
    assertThat(replayed.headers()).isEqualTo(PAID.headers());
  }

  @Test
  void a_large_answer_comes_back_as_it_was() throws Exception {
    byte[] bytes = new byte[5_000_000];
    new Random(7).nextBytes(bytes);
    Answer large = Answer.success(200, new Body.Full(Bytes.wrap(bytes)));
    Operation operation = pay("key", policy -> policy.maxStoredBody(bytes.length));
    payAndCommit(operation, large);
    assertThat(payAndCommit(operation)).isEqualTo(new Result.Replayed(large));
  }

  @Test
  void an_answer_is_kept_for_the_retention_time_and_then_purged() throws Exception {
    payAndCommit(pay("key", policy -> policy.retention(Duration.ofMinutes(5))));
    shop.timePasses(Duration.ofMinutes(4));
    assertThat(payAndCommit(pay("key"))).isInstanceOf(Result.Replayed.class);
    shop.timePasses(Duration.ofMinutes(3));
    try (JdbcStore store = shop.store()) {
      assertThat(store.purgeExpired(10).toCompletableFuture().join()).isOne();
    }
    assertThat(shop.records()).isZero();
  }

  // One transaction, more than one operation.

  @Test
  void an_operation_within_itself_is_busy() throws Exception {
    try (Connection connection = shop.connect()) {
      for (OnCrash onCrash : OnCrash.values()) {
        Operation operation = pay("key " + onCrash, policy -> policy.onCrash(onCrash));
        transactions.run(
            connection,
            operation,
            execution -> {
              Result inner = transactions.run(connection, operation, paying(connection, PAID));
              assertThat(reason(inner)).isEqualTo(Reason.BUSY);
              return PAID;
            });
      }
      connection.commit();
    }
    assertThat(shop.payments()).isZero();
  }

  @Test
  void a_second_request_in_the_same_transaction_gets_the_answer_of_the_first() throws Exception {
    try (Connection connection = shop.connect()) {
      transactions.run(connection, pay("key"), paying(connection, PAID));
      transactions.run(connection, pay("other"), paying(connection, PAID));
      assertThat(transactions.run(connection, pay("key"), paying(connection, PAID)))
          .isEqualTo(new Result.Replayed(PAID));
      connection.commit();
    }
    assertThat(shop.payments()).isEqualTo(2);
  }

  // Misuse.

  @Test
  void an_execution_ends_once() throws Exception {
    try (Connection connection = shop.connect()) {
      Execution execution = begin(connection);
      execution.complete(PAID);
      assertThatThrownBy(() -> execution.complete(PAID))
          .isInstanceOf(ExecutionEndedException.class);
      assertThatThrownBy(execution::release).isInstanceOf(ExecutionEndedException.class);
    }
  }

  private Execution begin(Connection connection) throws SQLException {
    return ((Begun.Proceed) transactions.begin(connection, pay("key"))).execution();
  }

  @Test
  void an_answer_cannot_be_recorded_when_the_claim_was_rolled_back() throws Exception {
    try (Connection connection = shop.connect()) {
      Execution execution = begin(connection);
      connection.rollback();
      assertThatThrownBy(() -> execution.complete(PAID))
          .hasCauseInstanceOf(SQLTransactionRollbackException.class)
          .hasMessageContaining("its claim is gone")
          .hasMessageContaining("roll back and try again");
    }
    try (Connection connection = shop.connect()) {
      ShopDatabase.pay(connection);
      Savepoint before = connection.setSavepoint();
      Execution execution = begin(connection);
      connection.rollback(before);
      assertThatThrownBy(() -> execution.complete(PAID))
          .hasCauseInstanceOf(SQLTransactionRollbackException.class);
    }
    assertThat(shop.records()).isZero();
  }

  @Test
  void a_handler_without_an_answer_is_an_error() throws Exception {
    try (Connection connection = shop.connect()) {
      assertThatThrownBy(() -> transactions.run(connection, pay("key"), any -> null))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("null (expected: an Answer)");
    }
  }

  @Test
  void a_record_that_cannot_be_read_is_refused_and_never_run_again() throws Exception {
    payAndCommit(pay("key"));
    shop.execute("UPDATE idempotency_keys SET response_body = " + shop.bytes("7f00"));
    assertThat(reason(payAndCommit(pay("key")))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(shop.payments()).isOne();
  }

  // What it costs.

  @Test
  void a_first_request_costs_two_statements_and_a_replay_one() throws Exception {
    ObservedDataSource observed = new ObservedDataSource(shop.dataSource());
    try (Connection connection = observed.asDataSource().getConnection()) {
      connection.setAutoCommit(false);
      transactions.run(connection, pay("key"), execution -> PAID);
      connection.commit();
      // SQLite counts fences in a row of its own; its statements are calls, not round trips.
      assertThat(observed.statements).hasValue(shop.isServer() ? 2 : 3);
      assertThat(observed.commits).as("the caller's").hasValue(1);

      observed.statements.set(0);
      transactions.run(connection, pay("key"), execution -> PAID);
      assertThat(observed.statements).hasValue(shop.isServer() ? 1 : 2);
    }
  }

  @Test
  void a_listener_is_told_what_happens_in_transactions() throws Exception {
    List<String> told = new ArrayList<>();
    JdbcTransactions listened = JdbcTransactions.create().listener(new Told(told));
    try (Connection connection = shop.connect()) {
      connection.setAutoCommit(false);
      listened.run(connection, pay("key"), paying(connection, PAID));
      connection.commit();
      listened.run(connection, pay("key"), paying(connection, PAID));
      listened.run(connection, OTHER_REQUEST, paying(connection, PAID));
      assertThatThrownBy(
          () ->
              listened.run(
                  connection,
                  pay("failing"),
                  any -> {
                    throw new IllegalStateException("no bank");
                  }));
      connection.rollback();
    }
    assertThat(told)
        .containsExactly(
            "CLAIM",
            "begun",
            "COMPLETE",
            "ended", //
            "CLAIM",
            "replayed", //
            "CLAIM",
            "refused MISMATCH", //
            "CLAIM",
            "begun",
            "released");
  }

  @Test
  void a_listener_is_told_of_the_end_of_an_execution_whose_answer_cannot_be_written()
      throws Exception {
    List<String> told = new ArrayList<>();
    JdbcTransactions listened = JdbcTransactions.create().listener(new Told(told));
    try (Connection connection = shop.connect()) {
      Begun begun = listened.begin(connection, pay("key"));
      connection.rollback();
      assertThatThrownBy(() -> ((Begun.Proceed) begun).execution().complete(PAID))
          .hasMessageContaining("its claim is gone");
    }
    assertThat(told).containsExactly("CLAIM", "begun", "COMPLETE", "released");
  }

  private static final Operation OTHER_REQUEST =
      Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("pay 99"), Policy.DEFAULT);

  private record Told(List<String> told) implements OnceListener {
    @Override
    public void begun(Execution execution) {
      told.add("begun");
    }

    @Override
    public void replayed(Operation operation, Answer answer) {
      told.add("replayed");
    }

    @Override
    public void refused(Operation operation, Refusal refusal) {
      told.add("refused " + refusal.reason());
    }

    @Override
    public void ended(Execution execution, Result result) {
      told.add("ended");
    }

    @Override
    public void released(Execution execution) {
      told.add("released");
    }

    @Override
    public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
      told.add(step.name());
    }
  }
}
