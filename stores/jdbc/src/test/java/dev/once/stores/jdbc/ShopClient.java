package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.sql.Connection;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;

/** Pays in a shop, in same-transaction mode. */
final class ShopClient {

  static final Answer PAID = Answer.success(201, Body.of("paid"));
  static final Answer PAID_LATER = Answer.success(201, Body.of("paid by the second"));

  /** So patient that whoever waits is still there when a test goes on. */
  static final JdbcTransactions TRANSACTIONS = JdbcTransactions.create(Duration.ofMinutes(2));

  private ShopClient() {}

  static Operation pay(String key) {
    return pay(key, policy -> policy);
  }

  static Operation pay(String key, UnaryOperator<Policy.Builder> changes) {
    return Operation.of(
        Scope.GLOBAL, Key.of(key), Fingerprint.of("pay 10"), Policy.DEFAULT.with(changes));
  }

  static Result run(Connection connection, Operation operation, Answer answer) throws Exception {
    return TRANSACTIONS.run(
        connection,
        operation,
        execution -> {
          ShopDatabase.pay(connection);
          return answer;
        });
  }

  static Reason reason(Result result) {
    return ((Result.Refused) result).refusal().reason();
  }

  /** Has asked for a key which another transaction has, and waits for it; commits in the end. */
  static FutureTask<Result> waitingDuplicate(
      ShopDatabase shop, Connection connection, Operation operation) throws Exception {
    FutureTask<Result> duplicate =
        new FutureTask<>(
            () -> {
              try {
                Result result = run(connection, operation, PAID_LATER);
                connection.commit();
                return result;
              } catch (SQLTransactionRollbackException e) {
                connection.rollback(); // others may wait for what it holds
                throw e;
              }
            });
    Thread thread = new Thread(duplicate, "duplicate");
    thread.setDaemon(true);
    thread.start();
    while (!shop.isWaiting(thread)) {
      assertThat(duplicate.isDone()).as("done without waiting").isFalse();
      Thread.sleep(5);
    }
    return duplicate;
  }
}
