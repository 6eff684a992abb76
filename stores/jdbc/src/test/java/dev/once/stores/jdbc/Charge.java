package dev.once.stores.jdbc;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.LockSupport;

/**
 * A charge of ten from one account to another, with an entry in a ledger, in one transaction with
 * its key. As a process, it stops at a step, to be killed there, or kills itself; it prints the
 * step, and its answer once that is committed.
 */
final class Charge {

  /** Where a charge can be caught, in order. */
  enum Step {
    BEFORE_CLAIM,
    CLAIMED,
    DEBITED,
    CREDITED,
    ENTERED,
    RECORDED,
    COMMITTED,
    ANSWERED
  }

  /** How it ends there. */
  enum End {
    STOP,
    HALT,
    NONE
  }

  static final int EXIT_CODE = 77;

  private final JdbcTransactions transactions = JdbcTransactions.create();
  private final Step at;
  private final Runnable then;

  /** One to which nothing happens. */
  Charge() {
    this(Step.ANSWERED, () -> {});
  }

  /**
   * @param then what happens when it is at this step
   */
  Charge(Step at, Runnable then) {
    this.at = at;
    this.then = then;
  }

  /**
   * Arguments: the kind of database, where it is, the number of charges, the step and how to end.
   */
  public static void main(String[] arguments) throws Exception {
    ShopDatabase shop = ShopDatabase.valueOf(arguments[0]);
    shop.isAt(arguments[1]);
    Step at = Step.valueOf(arguments[3]);
    End end = End.valueOf(arguments[4]);
    Charge charge = new Charge(at, () -> end(at, end));
    int count = Integer.parseInt(arguments[2]);
    try (Connection connection = shop.connect()) {
      for (int i = 0; i < count; i++) {
        String answer = charge.charge(connection, "charge-" + i);
        System.out.println("answer " + i + " " + answer);
        charge.reached(Step.ANSWERED);
      }
    }
  }

  static void createTables(ShopDatabase shop) {
    shop.execute("DROP TABLE IF EXISTS accounts");
    shop.execute("DROP TABLE IF EXISTS ledger");
    shop.execute("CREATE TABLE accounts (name VARCHAR(10) PRIMARY KEY, balance INTEGER NOT NULL)");
    shop.execute("CREATE TABLE ledger (charge VARCHAR(50) NOT NULL, amount INTEGER NOT NULL)");
    shop.execute("INSERT INTO accounts VALUES ('alice', 1000), ('shop', 0)");
  }

  /** What the client is told, after the commit: the same each time that it asks. */
  String charge(Connection connection, String key) throws Exception {
    Operation operation =
        Operation.of(
            new Scope("acme", "alice", ""),
            Key.of(key),
            Fingerprint.of("POST", "/charges", key),
            Policy.DEFAULT);
    reached(Step.BEFORE_CLAIM);
    Begun begun = transactions.begin(connection, operation);
    Answer answer;
    if (begun instanceof Begun.Proceed proceed) {
      reached(Step.CLAIMED);
      String balance = move(connection, key);
      answer = Answer.success(201, Body.of(balance + ", by " + ProcessHandle.current().pid()));
      proceed.execution().complete(answer);
      reached(Step.RECORDED);
    } else {
      answer = ((Begun.Replay) begun).answer();
    }
    connection.commit();
    reached(Step.COMMITTED);
    return ((Body.Full) answer.body()).bytes().toUtf8();
  }

  /** The effect: three writes that belong together. */
  private String move(Connection connection, String key) throws SQLException {
    try (Statement statement = connection.createStatement();
        PreparedStatement entry =
            connection.prepareStatement("INSERT INTO ledger (charge, amount) VALUES (?, 10)")) {
      statement.executeUpdate("UPDATE accounts SET balance = balance - 10 WHERE name = 'alice'");
      reached(Step.DEBITED);
      statement.executeUpdate("UPDATE accounts SET balance = balance + 10 WHERE name = 'shop'");
      reached(Step.CREDITED);
      entry.setString(1, key);
      entry.executeUpdate();
      reached(Step.ENTERED);
      try (ResultSet row =
          statement.executeQuery("SELECT balance FROM accounts WHERE name = 'alice'")) {
        row.next();
        return key + " leaves " + row.getInt(1);
      }
    }
  }

  private void reached(Step step) {
    if (step == at) {
      then.run();
    }
  }

  private static void end(Step at, End end) {
    if (end == End.NONE) {
      return;
    }
    System.out.println(at);
    if (end == End.HALT) {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
    while (true) {
      LockSupport.park();
    }
  }
}
