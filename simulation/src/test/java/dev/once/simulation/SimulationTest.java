package dev.once.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@DisplayName("the engine, in a world of faults")
class SimulationTest {

  private static final long SEEDS =
      Long.getLong("seeds", 7_000L * Integer.getInteger("once.rounds", 1));
  private static final long FIRST_SEED = Long.getLong("firstSeed", 0);
  private static final int REPLAYED_TWICE = 300;

  @Test
  @DisabledIfSystemProperty(named = "seed", matches = ".+")
  @DisplayName("holds its invariants for every seed, and everything that matters happens")
  void invariantsHold() {
    Coverage coverage = new Coverage();
    Progress progress = new Progress(SEEDS);
    for (long i = 0; i < SEEDS; i++) {
      Verdict verdict = Simulation.run(FIRST_SEED + i, Mutant.NONE);
      if (!verdict.violations().isEmpty()) {
        fail(verdict.report());
      }
      coverage.add(verdict.coverage());
      progress.done(i + 1);
    }
    System.out.printf("%s%n%s", progress.summary(), coverage.table());
    assertThat(Arrays.stream(Happening.values()).filter(it -> coverage.of(it) == 0))
        .as("what %d seeds never saw", SEEDS)
        .isEmpty();
  }

  @Test
  @DisabledIfSystemProperty(named = "seed", matches = ".+")
  @DisplayName("has the same history each time for the same seed")
  void sameSeedSameHistory() {
    for (long seed = 0; seed < REPLAYED_TWICE; seed++) {
      assertThat(Simulation.run(seed, Mutant.NONE).history())
          .as("seed %d", seed)
          .isEqualTo(Simulation.run(seed, Mutant.NONE).history());
    }
    assertThat(Simulation.run(1, Mutant.NONE).history())
        .isNotEqualTo(Simulation.run(2, Mutant.NONE).history());
  }

  @Test
  @EnabledIfSystemProperty(named = "seed", matches = "-?\\d+")
  @DisplayName("replays one seed: -Dseed=N, and -Dmutant=NAME for a mistake of the store")
  void replay() {
    Mutant mutant = Mutant.valueOf(System.getProperty("mutant", Mutant.NONE.name()));
    Verdict verdict = Simulation.run(Long.getLong("seed", 0), mutant);
    verdict.history().forEach(System.out::println);
    System.out.println(verdict.report());
    assertThat(verdict.violations()).isEmpty();
  }
}
