package dev.once.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.stores.jdbc.Payment.Step;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteErrorCode;

/**
 * Processes that are killed and paused for real; this JVM is the second one, that finds them so.
 */
class CrashTest {

  private static final Answer PAID_LATER = Answer.success(201, Body.of("paid by the second one"));
  private static final Duration LEASE = Duration.ofMinutes(5);

  @TempDir private Path folder;

  @ParameterizedTest(name = "killed at {0}")
  @EnumSource
  @DisplayName("after kill -9 the next process finds what the crash policy promises")
  void killed(Step step) throws Exception {
    SqliteFile file = new SqliteFile(folder.resolve("once.db"));
    Process first = start(file.path(), step, LEASE, false);
    await(first.inputReader(StandardCharsets.UTF_8), step.name());
    first.destroyForcibly().waitFor();
    assertThat(first.exitValue()).as("killed by signal 9").isEqualTo(128 + 9);

    try (JdbcStore store = JdbcStore.sqlite(file.path());
        Once once = Once.on(store)) {
      if (step == Step.CLAIM_BEFORE_COMMIT) {
        assertThat(pay(once, file, OnCrash.OUTCOME_UNKNOWN)).isEqualTo(executed());
        assertThat(Payment.charges(file.path())).isEqualTo(1);
      } else if (step.compareTo(Step.ANSWER_COMMITTED) >= 0) {
        assertThat(pay(once, file, OnCrash.RUN_AGAIN)).isEqualTo(new Result.Replayed(Payment.PAID));
        assertThat(Payment.charges(file.path())).isEqualTo(1);
      } else {
        long charged = step.compareTo(Step.HANDLER_DONE) >= 0 ? 1 : 0;
        assertThat(reason(pay(once, file, OnCrash.RUN_AGAIN))).isEqualTo(Reason.BUSY);
        file.timePasses(LEASE);
        assertThat(reason(pay(once, file, OnCrash.HOLD))).isEqualTo(Reason.BUSY);
        assertThat(reason(pay(once, file, OnCrash.OUTCOME_UNKNOWN)))
            .isEqualTo(Reason.OUTCOME_UNKNOWN);
        assertThat(Payment.charges(file.path())).isEqualTo(charged);
        assertThat(pay(once, file, OnCrash.RUN_AGAIN)).isEqualTo(executed());
        assertThat(Payment.charges(file.path())).isEqualTo(charged + 1);
        assertThat(pay(once, file, OnCrash.RUN_AGAIN)).isEqualTo(new Result.Replayed(PAID_LATER));
      }
    }
  }

  @Test
  @DisplayName("a process paused past its lease records nothing and reports that it lost")
  void paused() throws Exception {
    Path file = folder.resolve("once.db");
    Process first = start(file, Step.HANDLER_DONE, Duration.ofMillis(500), true);
    BufferedReader output = first.inputReader(StandardCharsets.UTF_8);
    await(output, Step.HANDLER_DONE.name());
    stopBetweenWrites(first, file);
    try (JdbcStore store = JdbcStore.sqlite(file);
        Once once = Once.on(store)) {
      Operation operation = operation(p -> p.onCrash(OnCrash.RUN_AGAIN).onBusy(OnBusy.WAIT));
      assertThat(once.run(operation, execution -> PAID_LATER)).isEqualTo(executed());
      signal(first, "CONT");
      first.outputWriter().append("go on\n").flush();
      assertThat(await(output, "result")).contains(Reason.OWNERSHIP_LOST.name());
      assertThat(first.waitFor()).isZero();
      assertThat(once.run(operation, execution -> Payment.PAID))
          .isEqualTo(new Result.Replayed(PAID_LATER));
    } finally {
      first.destroyForcibly(); // one that is stopped would keep the build from its end
    }
  }

  private static Result executed() {
    return new Result.Executed(PAID_LATER, true);
  }

  private static Reason reason(Result result) {
    return ((Result.Refused) result).refusal().reason();
  }

  private static Result pay(Once once, SqliteFile file, OnCrash onCrash) throws Exception {
    return once.run(
        operation(p -> p.onCrash(onCrash)),
        execution -> {
          Payment.charge(file.path());
          return PAID_LATER;
        });
  }

  private static Operation operation(UnaryOperator<Policy.Builder> changes) {
    Operation payment = Payment.OPERATION;
    return new Operation(payment.id(), payment.fingerprint(), payment.policy().with(changes));
  }

  private static Process start(Path file, Step step, Duration lease, boolean goOn)
      throws IOException {
    return Processes.start(
        Payment.class, file.toString(), step.name(), lease.toString(), Boolean.toString(goOn));
  }

  private static String await(BufferedReader output, String word) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(word)) {
        return line;
      }
    }
    throw new AssertionError("the process ended before it said: " + word);
  }

  /**
   * It renews its lease all the time; stopped in the middle of that, it would keep the file locked.
   */
  private static void stopBetweenWrites(Process process, Path file) throws Exception {
    signal(process, "STOP");
    while (isLocked(file)) {
      signal(process, "CONT");
      signal(process, "STOP");
    }
  }

  private static boolean isLocked(Path file) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 0");
      statement.execute("BEGIN IMMEDIATE");
      statement.execute("ROLLBACK");
      return false;
    } catch (SQLException e) {
      if (e.getErrorCode() == SQLiteErrorCode.SQLITE_BUSY.code) {
        return true;
      }
      throw e;
    }
  }

  private static void signal(Process process, String name) throws Exception {
    int done = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    assertThat(done).isZero();
  }
}
