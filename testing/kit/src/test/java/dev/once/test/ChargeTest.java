package dev.once.test;

import static dev.once.core.Refusal.Reason.OUTCOME_UNKNOWN;
import static dev.once.test.OnceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The example of docs/testing.md. */
// docs/testing.md begins
@OnceTest
// docs/testing.md pauses
@DisplayNameGeneration(ReplaceUnderscores.class)
// docs/testing.md goes on
class ChargeTest {

  private final Bank bank = new Bank();

  @Test
  void a_charge_happens_once(Once once, TestClock clock, RecordingStore store) throws Exception {
    Payments payments = new Payments(once, bank);

    payments.charge("key-1", 10);
    payments.charge("key-1", 10); // the client's retry
    assertThat(once).operation("key-1").wasExecutedOnce().wasReplayed(1).hasAnswer(201, "10 paid");

    clock.passes(Duration.ofHours(24));
    payments.charge("key-1", 10); // a day later the key is new
    assertThat(once).operation("key-1").wasExecuted(2);

    bank.onCharge(store::crash); // the process dies after the bank was asked
    payments.charge("key-2", 10);
    clock.passes(Duration.ofMinutes(5)); // its lease ends
    assertThat(payments.charge("key-2", 10)).wasRefused(OUTCOME_UNKNOWN);
    assertThat(bank.charges()).isEqualTo(3);
  }

  // docs/testing.md ends

  @Test
  void the_guide_shows_this_test() throws Exception {
    List<String> source =
        Files.readAllLines(Path.of("src/test/java/dev/once/test/ChargeTest.java"));
    List<String> shown =
        source.subList(
            source.indexOf("// docs/testing.md begins") + 1,
            source.indexOf("  // docs/testing.md ends"));
    String example =
        String.join("\n", shown)
            .strip()
            .replaceAll("(?s)// docs/testing.md pauses\n.*// docs/testing.md goes on\n", "");
    assertThat(Files.readString(Path.of("../../docs/testing.md")))
        .contains("\n" + example + "\n}\n```"); // the imports are before it
  }

  /** Stands for the user's own code. */
  private record Payments(Once once, Bank bank) {
    Result charge(String key, int amount) throws Exception {
      Operation operation =
          Operation.of(
              Scope.GLOBAL, Key.of(key), Fingerprint.of("charge " + amount), Policy.DEFAULT);
      return once.run(operation, execution -> bank.charge(amount));
    }
  }

  private static final class Bank {
    private Runnable onCharge = () -> {};
    private int charges;

    void onCharge(Runnable action) {
      onCharge = action;
    }

    Answer charge(int amount) {
      charges++;
      onCharge.run();
      return Answer.success(201, Body.of(amount + " paid"));
    }

    int charges() {
      return charges;
    }
  }
}
