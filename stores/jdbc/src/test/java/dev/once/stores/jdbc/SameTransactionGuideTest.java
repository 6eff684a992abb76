package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The snippets of {@code docs/same-transaction.md} work as they are there. */
class SameTransactionGuideTest {

  private final JdbcTransactions transactions = JdbcTransactions.create();

  @ParameterizedTest
  @EnumSource
  @DisplayName("a charge that is asked for three times, in three ways, is made once")
  void works(ShopDatabase shop) throws Exception {
    shop.url();
    shop.empty();
    Operation operation =
        Operation.of(Scope.GLOBAL, Key.of("key"), Fingerprint.of("charge 10"), Policy.DEFAULT);
    Answer charged = Answer.success(201, Body.of("charged"));

    try (Connection connection = shop.dataSource().getConnection()) {
      assertThat(run(connection, operation)).isEqualTo(new Result.Executed(charged, true));
    }
    assertThat(again(shop.dataSource(), operation)).isEqualTo(new Result.Replayed(charged));
    try (Connection connection = shop.connect()) {
      assertThat(begin(connection, operation)).isEqualTo(charged);
    }
    assertThat(shop.payments()).isOne();
  }

  private static void charge(Connection connection) throws SQLException {
    ShopDatabase.pay(connection);
  }

  private static Answer charged(Connection connection) throws SQLException {
    charge(connection);
    return Answer.success(201, Body.of("charged"));
  }

  private Result run(Connection connection, Operation operation) throws Exception {
    // guide 1
    connection.setAutoCommit(false);
    Result result =
        transactions.run(
            connection,
            operation,
            execution -> {
              charge(connection); // your writes, on the same connection
              return Answer.success(201, Body.of("charged"));
            });
    connection.commit(); // or roll back: see the table
    // end
    return result;
  }

  private Result again(DataSource dataSource, Operation operation) throws Exception {
    // guide 2
    for (int tries = 1; ; tries++) {
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        try {
          Result result = transactions.run(connection, operation, execution -> charged(connection));
          if (result instanceof Result.Refused) {
            connection.rollback();
          } else {
            connection.commit();
          }
          return result; // to the client, and not before the commit
        } catch (SQLTransactionRollbackException e) {
          connection.rollback();
          if (tries == 3) {
            throw e;
          }
        } catch (Throwable e) {
          connection.rollback();
          throw e;
        }
      }
    }
    // end
  }

  private Answer begin(Connection connection, Operation operation) throws SQLException {
    // guide 3
    Begun begun = transactions.begin(connection, operation);
    if (begun instanceof Begun.Proceed proceed) {
      charge(connection);
      Answer answer = Answer.success(201, Body.of("charged"));
      proceed.execution().complete(answer);
      connection.commit();
      return answer;
    }
    // end
    return ((Begun.Replay) begun).answer();
  }

  @Test
  @DisplayName("the guide has this test's snippets")
  void same() throws Exception {
    Path here = Path.of("src/test/java/dev/once/stores/jdbc/SameTransactionGuideTest.java");
    List<String> guide = blocks(Path.of("../../docs/same-transaction.md"), "```java", "```");
    assertThat(guide).isNotEmpty().isEqualTo(blocks(here, "    // guide ", "    // end"));
  }

  /** What is between such lines, without its imports and its indentation. */
  private static List<String> blocks(Path file, String first, String last) throws Exception {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = null;
    for (String line : Files.readAllLines(file)) {
      if (block == null && line.startsWith(first)) {
        block = new StringBuilder();
      } else if (block != null && line.equals(last)) {
        blocks.add(block.toString().stripTrailing().stripIndent().stripLeading());
        block = null;
      } else if (block != null && !line.startsWith("import ")) {
        block.append(line).append('\n');
      }
    }
    return blocks;
  }
}
