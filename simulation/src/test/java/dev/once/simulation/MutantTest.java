package dev.once.simulation;

import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("a mistake on purpose")
@DisabledIfSystemProperty(named = "seed", matches = ".+")
class MutantTest {

  private static final int SEEDS = 5_000;

  @ParameterizedTest(name = "{0} is caught as {1}")
  @CsvSource({
    "NO_FENCE_ON_COMPLETE, LATE_OWNER",
    "LEASE_JUDGED_BY_NODE_CLOCK, ONE_LIVE_FENCE",
    "CLAIM_AS_READ_THEN_WRITE, ONE_LIVE_FENCE",
    "RELEASE_WITHOUT_FENCE, ONE_LIVE_FENCE",
    "RECORD_DROPPED_WHEN_RECORDING_FAILS, RUN_BY_RIGHT",
    "WITHDRAW_WITHOUT_TOKEN, LATE_OWNER",
    "WITHDRAW_BY_CLAIM, ORPHAN_ENDS",
    "WITHDRAW_ONCE, ORPHAN_ENDS",
    "ONLY_LAST_FAILURE_SEEN, FREE_AGAIN",
    "HUNDRED_WITHDRAWALS, FREE_AGAIN",
    "SLOW_TIMERS, IN_TIME",
    "CLAIM_ASKED_TWICE, FEW_CALLS",
    "WATCH_LEFT_OPEN, NOTHING_KEPT",
    "CACHE_IGNORES_RANKS, SAME_ANSWER",
    "CACHE_TAKES_LATE_PUTS, SAME_ANSWER",
    "ANSWER_PUT_UNRECORDED, CACHE_FOLLOWS",
    "OLD_ANSWER_PUT, CACHE_FOLLOWS",
    "ANSWER_PUT_BEYOND_EXPIRY, SAME_ANSWER",
    "BUSY_MARK_STAYS, TRUTH",
    "OWN_CLAIM_CALLED_BUSY, TRUTH",
    "GRANTED_BY_CACHE, RUN_BY_RIGHT",
    "RELEASE_NOT_TOLD, CACHE_FOLLOWS"
  })
  @DisplayName("is caught within 5,000 seeds, which pass without it (SimulationTest)")
  void isCaught(Mutant mutant, Invariant expected) {
    for (int seed = 0; seed < SEEDS; seed++) {
      if (Simulation.run(seed, mutant).violates(expected)) {
        System.out.printf("%-36s %-15s after %,4d seeds%n", mutant, expected, seed + 1);
        return;
      }
    }
    fail(mutant + ": not caught as " + expected + " within " + SEEDS + " seeds");
  }
}
