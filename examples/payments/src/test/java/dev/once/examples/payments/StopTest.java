package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example with a PostgreSQL of its own is stopped, and has nothing to complain about. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(300)
class StopTest {

  @Test
  void ctrl_c_ends_it_without_a_word() throws Exception {
    try (ExampleProcess example = ExampleProcess.startWithItsOwnDatabase()) {
      charge(example);
      example.signalAll("INT");
      assertEndedQuietly(example, 128 + 2);
    }
  }

  @Test
  void a_termination_ends_it_without_a_word() throws Exception {
    try (ExampleProcess example = ExampleProcess.startWithItsOwnDatabase()) {
      charge(example);
      example.signal("TERM");
      assertEndedQuietly(example, 128 + 15);
    }
  }

  /** Now connections are open. */
  private static void charge(ExampleProcess example) {
    Client alice = new Client(example.url(), "alice", "Idempotency-Key", "Idempotent-Replayed");
    assertThat(alice.charge(UUID.randomUUID().toString(), "tok_visa").made()).isTrue();
  }

  /** What it said when it was ready is there; a log has lines with a level. */
  private static void assertEndedQuietly(ExampleProcess example, int code) throws Exception {
    List<String> said = example.readToEnd();
    assertThat(said).noneMatch(line -> line.matches("\\s+at .*|.*(ERROR|WARN|Exception).*"));
    assertThat(example.awaitEnd()).isEqualTo(code);
  }
}
