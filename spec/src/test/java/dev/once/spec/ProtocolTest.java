package dev.once.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The model in {@code Once.tla} holds, and notices every mistake that is made in it on purpose. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProtocolTest {

  @TempDir Path folder;

  @Test
  void with_takeovers_every_invariant_holds() throws Exception {
    check(Model.main().with("LastTick", 1).with("Forgets", 0)).holds();
  }

  @Test
  void where_a_record_is_forgotten_every_invariant_holds() throws Exception {
    check(Model.main().with("LastTick", 0).with("Losses", 0)).holds();
  }

  /** Both together, and the clock goes on for longer: minutes of two processors. */
  @Test
  @Tag("long")
  void with_takeovers_every_invariant_holds_in_more_than_a_million_states() throws Exception {
    assertThat(check(Model.main()).holds().states()).isGreaterThan(1_000_000);
  }

  @Test
  void where_the_outcome_of_a_crash_is_unknown_every_invariant_holds() throws Exception {
    check(Model.main().with("RunAgain", "FALSE").with("LastTick", 1).with("Forgets", 0)).holds();
  }

  @Test
  void a_claim_that_nobody_runs_is_free_again_while_its_claimer_lives() throws Exception {
    check(small().inTheEnd("FreeAgain")).holds();
  }

  @Test
  void it_is_free_again_although_withdrawals_are_lost() throws Exception {
    check(Model.main().with("Calls", "{c1}").with("Losses", 2).inTheEnd("FreeAgain")).holds();
  }

  @Test
  void a_claim_that_is_never_withdrawn_is_not_free_again() throws Exception {
    check(small().with("Withdrawal", "\"Never\"").inTheEnd("FreeAgain")).neverHolds();
  }

  /** The mistakes of the simulation, and some that only a model makes easily. */
  @Nested
  class A_mistake {

    @Test
    void no_fence_on_complete() throws Exception {
      check(Model.mutant("NO_FENCE_ON_COMPLETE")).violates("NoLateOwner");
    }

    @Test
    void lease_judged_by_node_clock() throws Exception {
      check(Model.mutant("LEASE_JUDGED_BY_NODE_CLOCK")).violates("OneLiveLease");
    }

    @Test
    void claim_as_read_then_write() throws Exception {
      check(Model.mutant("CLAIM_AS_READ_THEN_WRITE")).violates("OneLiveLease");
    }

    @Test
    void release_without_fence() throws Exception {
      check(Model.mutant("RELEASE_WITHOUT_FENCE")).violates("OneLiveLease");
    }

    @Test
    void withdraw_without_token() throws Exception {
      check(Model.mutant("WITHDRAW_WITHOUT_TOKEN")).violates("OneLiveLease");
    }

    @Test
    void record_dropped_when_recording_fails() throws Exception {
      check(Model.mutant("RECORD_DROPPED_WHEN_RECORDING_FAILS").with("RunAgain", "FALSE"))
          .violates("RunByRight");
    }

    @Test
    void withdrawn_after_recording_failed() throws Exception {
      check(Model.mutant("WITHDRAWN_AFTER_RECORDING_FAILED").with("RunAgain", "FALSE"))
          .violates("RunByRight");
    }

    @Test
    void fence_starts_again() throws Exception {
      check(Model.mutant("FENCE_STARTS_AGAIN")).violates("FencesGrow");
    }

    @Test
    void answer_given_before_recorded() throws Exception {
      check(Model.mutant("ANSWER_GIVEN_BEFORE_RECORDED")).violates("GivenIsRecorded");
    }

    @Test
    void two_answers() throws Exception {
      check(Model.mutant("NO_FENCE_ON_COMPLETE").only("OneAnswer")).violates("OneAnswer");
    }

    /** The second claim was told "busy"; the first one arrives afterwards, and is granted. */
    @Test
    void doubt_forgotten_with_a_reply() throws Exception {
      check(Model.mutant("DOUBT_FORGOTTEN_WITH_A_REPLY")).violates("NoClaimOfNobody");
    }
  }

  /** The ways to take back a claim that got no reply; decision 0020. */
  @Nested
  class Withdrawing {

    @Test
    void never_leaves_a_claim_of_nobody() throws Exception {
      check(Model.withdrawing("Never")).violates("NoClaimOfNobody");
    }

    @Test
    void by_claiming_and_releasing_leaves_a_claim_of_nobody() throws Exception {
      check(Model.withdrawing("ClaimAndRelease")).violates("NoClaimOfNobody");
    }

    @Test
    void once_leaves_a_claim_that_arrives_later() throws Exception {
      check(Model.withdrawing("Once")).violates("NoClaimOfNobody");
    }

    @Test
    void with_a_short_tombstone_leaves_a_claim_that_arrives_after_it() throws Exception {
      check(Model.withdrawing("ShortTombstone")).violates("NoClaimOfNobody");
    }

    @Test
    void with_a_long_tombstone_leaves_none() throws Exception {
      check(small().with("Withdrawal", "\"LongTombstone\"")).holds();
    }

    @Test
    void with_a_long_tombstone_leaves_what_a_failover_brought_back() throws Exception {
      check(failover().with("Withdrawal", "\"LongTombstone\"")).violates("NoClaimOfNobody");
    }

    @Test
    void repeatedly_also_undoes_what_a_failover_brought_back() throws Exception {
      check(failover()).holds();
    }
  }

  private static Model small() {
    return Model.main().with("LastTick", 0).with("Forgets", 0).with("Losses", 0);
  }

  /** A failover loses writes, so answers too: only claims of nobody are looked for. */
  private static Model failover() {
    return small().with("Failovers", 1).only("NoClaimOfNobody");
  }

  private Tlc check(Model model) throws Exception {
    return Tlc.check(model, folder);
  }
}
