package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two gateways on one store, duplicates through both of them, and rolling kill -9. The seed is
 * printed; {@code -Donce.storm.seed} sets it, though processes do not repeat themselves exactly.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class StormTest {

  /** Each gateway is killed once; by {@code -Plong} three times. */
  private static final int KILLS = 2 * Integer.getInteger("once.rounds", 1);

  private static final long SEED = Long.getLong("once.storm.seed", System.nanoTime());

  @TempDir private Path folder;

  @Test
  void with_run_again_each_key_has_one_answer_and_only_what_a_killed_gateway_left_runs_again()
      throws Exception {
    try (Storm storm = storm("run-again")) {
      assertOneAnswerEach(storm);
    }
  }

  @ParameterizedTest
  @EnumSource
  void on_each_shared_store_too(SharedStore kind) throws Exception {
    try (SharedStore.Opened store = kind.open();
        Storm storm =
            run(
                new Storm(
                    folder,
                    "run-again",
                    KILLS,
                    30 * KILLS,
                    SEED,
                    store.flags(),
                    store::loseItsMemory))) {
      assertOneAnswerEach(storm);
    }
  }

  /** One answer for each key; what ran twice was left by a gateway that was killed. */
  private static void assertOneAnswerEach(Storm storm) {
    for (String key : storm.keys()) {
      assertThat(storm.answers(key)).as("answers seen for %s", key).hasSize(1);
      assertThat(storm.isUnknown(key)).as(key).isFalse();
      List<Execution> executions = storm.executions(key);
      assertEachLeftByAKilledOne(storm, executions);
      Reply seen = storm.answers(key).iterator().next();
      assertThat(seen.id())
          .as("the recorded answer of %s is that of its last owner", key)
          .isEqualTo("" + executions.get(executions.size() - 1).id());
      assertRecorded(storm, key, seen);
    }
    assertThat(storm.keys())
        .as("keys that ran again: without any, the kills hit nothing")
        .anyMatch(key -> storm.executions(key).size() > 1);
  }

  @Test
  void with_outcome_unknown_no_key_runs_twice_and_what_a_killed_gateway_left_stays_unknown()
      throws Exception {
    try (Storm storm = storm("outcome-unknown")) {
      for (String key : storm.keys()) {
        List<Execution> executions = storm.executions(key);
        if (!storm.isUnknown(key)) {
          assertThat(executions).as(key).hasSize(1);
          assertThat(storm.answers(key)).as("answers seen for %s", key).hasSize(1);
          assertRecorded(storm, key, storm.answers(key).iterator().next());
          continue;
        }
        assertThat(executions).as(key).hasSizeLessThanOrEqualTo(1);
        assertThat(executions).as(key).allMatch(e -> storm.wasKilled(e.sender()));
        assertThat(storm.answers(key)).as("answers seen for %s", key).isEmpty();
        for (int gateway = 0; gateway < 2; gateway++) {
          assertThat(storm.ask(gateway, key).problem()).as(key).isEqualTo("outcome-unknown");
        }
      }
      assertThat(storm.keys()).as("without any, the kills hit nothing").anyMatch(storm::isUnknown);
    }
  }

  private Storm storm(String onCrash) throws Exception {
    List<String> store = List.of("--store", "sqlite:storm.db");
    return run(new Storm(folder, onCrash, KILLS, 30 * KILLS, SEED, store, () -> {}));
  }

  private static Storm run(Storm storm) throws Exception {
    System.out.println("storm, seed " + SEED);
    try {
      storm.run();
      assertThat(storm.surprises()).isEmpty();
      return storm;
    } catch (Exception | AssertionError e) {
      storm.close();
      throw e;
    }
  }

  /** Each execution but the last one belonged to a gateway that was killed; fences grow. */
  private static void assertEachLeftByAKilledOne(Storm storm, List<Execution> executions) {
    assertThat(executions).isNotEmpty();
    for (int i = 1; i < executions.size(); i++) {
      Execution before = executions.get(i - 1);
      Execution after = executions.get(i);
      assertThat(storm.wasKilled(before.sender())).as("%s, before %s", before, after).isTrue();
      assertThat(after.attempt()).as("%s", after).isGreaterThan(before.attempt());
      assertThat(after.fence()).as("%s", after).isGreaterThan(before.fence());
    }
  }

  /** Both gateways replay what the clients saw, byte for byte. */
  private static void assertRecorded(Storm storm, String key, Reply seen) {
    for (int gateway = 0; gateway < 2; gateway++) {
      Reply recorded = storm.ask(gateway, key);
      assertThat(recorded.marked()).as("%s: %s", key, recorded).isTrue();
      assertThat(recorded.status()).isEqualTo(seen.status());
      assertThat(recorded.bytes()).as(key).isEqualTo(seen.bytes());
    }
  }
}
