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
    "RECORD_DROPPED_WHEN_RECORDING_FAILS, RUN_HAS_CLAIM",
    "WITHDRAW_WITHOUT_TOKEN, LATE_OWNER",
    "WITHDRAW_BY_CLAIM, ORPHAN_WITHDRAWN",
    "WITHDRAW_ONCE, ORPHAN_WITHDRAWN",
    "ONLY_LAST_FAILURE_SEEN, KEY_FREED",
    "HUNDRED_WITHDRAWALS, KEY_FREED",
    "SLOW_TIMERS, IN_TIME",
    "CLAIM_ASKED_TWICE, FEW_STORE_CALLS",
    "WATCH_LEFT_OPEN, WAITERS_FORGOTTEN",
    "CACHE_IGNORES_RANKS, SAME_ANSWER",
    "CACHE_TAKES_LATE_PUTS, SAME_ANSWER",
    "ANSWER_PUT_UNRECORDED, CACHE_PUTS_CORRECT",
    "OLD_ANSWER_PUT, CACHE_PUTS_CORRECT",
    "ANSWER_PUT_BEYOND_EXPIRY, SAME_ANSWER",
    "BUSY_MARK_STAYS, REPLIES_TRUE",
    "OWN_CLAIM_CALLED_BUSY, REPLIES_TRUE",
    "GRANTED_BY_CACHE, RUN_HAS_CLAIM",
    "RELEASE_NOT_TOLD, CACHE_PUTS_CORRECT"
  })
  @DisplayName("is caught within 5,000 seeds, which pass without it (SimulationTest)")
  void isCaught(Mutant mutant, Invariant expected) {
    for (int seed = 0; seed < SEEDS; seed++) {
      if (Simulation.run(seed, mutant).violates(expected)) {
        System.out.printf("%-36s %-18s after %,4d seeds%n", mutant, expected, seed + 1);
        return;
      }
    }
    fail(mutant + ": not caught as " + expected + " within " + SEEDS + " seeds");
  }
}
