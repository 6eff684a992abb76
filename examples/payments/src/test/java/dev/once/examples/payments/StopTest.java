package dev.once.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example with a PostgreSQL of its own is stopped, and has no error. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(300)
class StopTest {

  /** As a shell starts what Ctrl-C ends: a group of its own, also where this build ignores it. */
  private static final String[] BY_A_SHELL = {"setsid", "env", "--default-signal=INT"};

  @Test
  void ctrl_c_ends_it_without_a_word() throws Exception {
    String[] command =
        Stream.concat(Stream.of(BY_A_SHELL), Stream.of("true")).toArray(String[]::new);
    assumeTrue(
        canRun(command),
        "no setsid, or no env of GNU coreutils 8.31 or later, so it was not tried");
    try (ExampleProcess example = ExampleProcess.startWithItsOwnDatabase(BY_A_SHELL)) {
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

  private static boolean canRun(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
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
