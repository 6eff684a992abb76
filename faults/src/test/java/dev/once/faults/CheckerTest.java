package dev.once.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Body;
import dev.once.faults.Event.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories with one defect each: a checker that finds nothing proves nothing. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CheckerTest {

  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final String AGAIN = Keys.key(2);
  private static final String UNKNOWN = Keys.key(3);

  private static final String RELEASED = Keys.key(8);
  private static final String BRIEF = Keys.key(14);
  private static final String ANOTHER = Keys.key(12);

  private final History history = new History();
  private final Map<String, FinalRecord> store = new HashMap<>();

  // What is right.

  @Test
  void a_run_and_its_replays_fit() {
    asks(0, "a", AGAIN);
    asks(1, "b", AGAIN);
    runs(5, "a", AGAIN, 1);
    refused(6, "b", AGAIN, "BUSY");
    executed(9, "a", AGAIN, 1);
    asks(10, "c", AGAIN);
    replayed(11, "c", AGAIN, "a", 1);
    kept(AGAIN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_takeover_after_the_lease_fits_and_the_late_owner_is_refused() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 2);
    executed(1210, "b", AGAIN, 2);
    refused(1300, "a", AGAIN, "OWNERSHIP_LOST");
    kept(AGAIN, "b", 2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_run_without_an_answer_fits_where_the_outcome_is_unknown() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    asks(1200, "b", UNKNOWN);
    refused(1201, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    store.put(UNKNOWN, new FinalRecord(1, null));
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_paused_owner_may_say_late_that_it_ran() {
    asks(0, "a", AGAIN);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 2);
    executed(1210, "b", AGAIN, 2);
    runs(1500, "a", AGAIN, 1);
    refused(1600, "a", AGAIN, "OWNERSHIP_LOST");
    kept(AGAIN, "b", 2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_paused_owner_may_run_after_others_were_told_that_its_outcome_is_unknown() {
    asks(0, "a", UNKNOWN);
    asks(1002, "b", UNKNOWN);
    refused(1003, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    runs(1600, "a", UNKNOWN, 1);
    executed(1620, "a", UNKNOWN, 1);
    kept(UNKNOWN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_released_answer_may_be_followed_by_another() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "true");
    asks(11, "b", RELEASED);
    runs(15, "b", RELEASED, 2);
    asks(16, "c", RELEASED);
    refused(17, "c", RELEASED, "BUSY");
    executed(19, "b", RELEASED, 2);
    kept(RELEASED, "b", 2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_release_that_got_no_reply_may_be_done_or_not() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "unknown");
    asks(20, "b", RELEASED);
    replayed(21, "b", RELEASED, "a", 1);
    asks(30, "c", RELEASED);
    runs(31, "c", RELEASED, 2);
    executed(32, "c", RELEASED, 2);
    kept(RELEASED, "c", 2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void busy_before_the_answer_was_given_fits_although_it_is_told_later() {
    asks(0, "a", AGAIN);
    asks(1, "b", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    refused(30, "b", AGAIN, "BUSY");
    kept(AGAIN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void an_unknown_outcome_fits_if_its_owner_was_killed_before_it_ran() {
    asks(0, "a", UNKNOWN);
    asks(60_000, "b", UNKNOWN);
    refused(60_001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    store.put(UNKNOWN, new FinalRecord(1, null));
    assertThat(broken()).isEmpty();
  }

  @Test
  void an_unknown_outcome_fits_while_a_claim_in_doubt_is_withdrawn() {
    asks(0, "a", UNKNOWN);
    refused(700, "a", UNKNOWN, "STORE_DOWN");
    asks(2000, "b", UNKNOWN);
    refused(2001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_claim_in_doubt_may_hold_its_key_for_as_long_as_its_process_is_not_well() {
    asks(0, "a", UNKNOWN);
    refused(700, "a", UNKNOWN, "STORE_DOWN");
    isWell(701, 10_000, "a");
    asks(10_000, "a", AGAIN);
    refused(10_001, "a", AGAIN, "STORE_DOWN");
    isWell(10_002, 20_000, "a");
    asks(20_000, "b", UNKNOWN);
    refused(20_001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_claim_in_doubt_may_be_granted_and_withdrawn_before_another_runs() {
    asks(0, "a", AGAIN);
    refused(700, "a", AGAIN, "STORE_DOWN");
    asks(701, "b", AGAIN);
    refused(702, "b", AGAIN, "BUSY");
    asks(710, "c", AGAIN);
    runs(711, "c", AGAIN, 2);
    executed(720, "c", AGAIN, 2);
    kept(AGAIN, "c", 2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_killed_owner_may_have_recorded_its_answer_or_not() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    asks(1200, "b", UNKNOWN);
    refused(1201, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    asks(1300, "c", UNKNOWN);
    replayed(1301, "c", UNKNOWN, "a", 1);
    kept(UNKNOWN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void an_answer_may_be_gone_after_its_retention() {
    asks(0, "a", BRIEF);
    runs(5, "a", BRIEF, 1);
    executed(9, "a", BRIEF, 1);
    asks(1900, "b", BRIEF);
    replayed(1901, "b", BRIEF, "a", 1);
    asks(2100, "c", BRIEF);
    runs(2101, "c", BRIEF, 2);
    executed(2109, "c", BRIEF, 2);
    kept(BRIEF, "c", 2);
    assertThat(broken()).isEmpty();
    store.clear();
    isWell(2110, 5000, "c");
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_cache_may_say_busy_for_a_while_after_the_answer() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    asks(11_000, "b", AGAIN);
    refused(11_001, "b", AGAIN, "BUSY");
    kept(AGAIN, "a", 1);
    assertThat(brokenBehindACache()).isEmpty();
    assertThat(broken()).containsExactly(Rule.BUSY_ENDS);
  }

  @Test
  void a_cache_may_give_an_answer_for_a_while_after_its_retention() {
    asks(0, "a", BRIEF);
    runs(5, "a", BRIEF, 1);
    executed(9, "a", BRIEF, 1);
    asks(5000, "b", BRIEF);
    runs(5001, "b", BRIEF, 2);
    executed(5002, "b", BRIEF, 2);
    asks(5003, "c", BRIEF);
    replayed(5004, "c", BRIEF, "a", 1);
    kept(BRIEF, "b", 2);
    assertThat(brokenBehindACache()).isEmpty();
    assertThat(broken()).contains(Rule.EXPIRED_IS_GONE);
  }

  @Test
  void another_request_is_refused() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    event(10, Kind.INVOKED, "b", AGAIN, 0, Event.OTHER);
    refused(11, "b", AGAIN, "MISMATCH");
    kept(AGAIN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  // What is wrong.

  @Test
  void busy_after_an_answer_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    asks(10, "b", AGAIN);
    refused(11, "b", AGAIN, "BUSY");
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.BUSY_ENDS);
  }

  @Test
  void busy_for_too_long_after_an_answer_is_found_behind_a_cache_too() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    asks(12_500, "b", AGAIN);
    refused(12_501, "b", AGAIN, "BUSY");
    kept(AGAIN, "a", 1);
    assertThat(brokenBehindACache()).containsExactly(Rule.BUSY_ENDS);
  }

  @Test
  void two_answers_are_found_behind_a_cache_too() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    asks(6, "b", UNKNOWN);
    replayed(7, "b", UNKNOWN, "a", 1);
    asks(8, "c", UNKNOWN);
    replayed(9, "c", UNKNOWN, "x", 1);
    kept(UNKNOWN, "a", 1);
    assertThat(brokenBehindACache()).contains(Rule.ONE_ANSWER, Rule.ANSWER_STAYS);
  }

  @Test
  void an_answer_that_is_given_after_its_retention_is_found() {
    asks(0, "a", BRIEF);
    runs(5, "a", BRIEF, 1);
    executed(9, "a", BRIEF, 1);
    asks(2100, "b", BRIEF);
    replayed(2101, "b", BRIEF, "a", 1);
    assertThat(broken()).containsExactly(Rule.EXPIRED_IS_GONE);
    asks(13_000, "c", BRIEF);
    replayed(13_001, "c", BRIEF, "a", 1);
    assertThat(brokenBehindACache()).containsExactly(Rule.EXPIRED_IS_GONE);
  }

  @Test
  void an_answer_that_is_gone_before_its_retention_is_found() {
    asks(0, "a", BRIEF);
    runs(5, "a", BRIEF, 1);
    executed(9, "a", BRIEF, 1);
    asks(1500, "b", BRIEF);
    runs(1501, "b", BRIEF, 2);
    executed(1502, "b", BRIEF, 2);
    kept(BRIEF, "b", 2);
    assertThat(broken()).contains(Rule.ANSWER_STAYS);
  }

  @Test
  void a_key_that_is_locked_in_the_end_by_a_claim_that_nobody_runs_is_found() {
    asks(0, "a", UNKNOWN);
    refused(700, "a", UNKNOWN, "STORE_DOWN");
    isWell(701, 20_000, "a");
    store.put(UNKNOWN, new FinalRecord(1, null));
    assertThat(broken()).containsExactly(Rule.NOT_LOCKED);
  }

  // What no two calls show, but only all of them.

  @Test
  void busy_without_an_owner_is_found() {
    asks(0, "a", AGAIN);
    refused(1, "a", AGAIN, "BUSY");
    asks(2, "b", AGAIN);
    runs(3, "b", AGAIN, 1);
    executed(4, "b", AGAIN, 1);
    kept(AGAIN, "b", 1);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void busy_after_a_release_and_before_the_next_run_is_found() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "true");
    asks(13, "b", RELEASED);
    refused(14, "b", RELEASED, "BUSY");
    asks(15, "c", RELEASED);
    runs(16, "c", RELEASED, 2);
    executed(17, "c", RELEASED, 2);
    kept(RELEASED, "c", 2);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void an_unknown_outcome_before_the_only_run_is_found_although_that_began_in_time() {
    asks(0, "a", UNKNOWN);
    asks(500, "b", UNKNOWN);
    runs(600, "a", UNKNOWN, 1);
    refused(700, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    executed(800, "a", UNKNOWN, 1);
    kept(UNKNOWN, "a", 1);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void an_unknown_outcome_where_a_crash_runs_again_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(1200, "b", AGAIN);
    refused(1201, "b", AGAIN, "OUTCOME_UNKNOWN");
    executed(1300, "a", AGAIN, 1);
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void a_release_that_is_done_twice_is_found() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "true");
    released(13, 14, "q", RELEASED, 1, "true");
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void a_release_that_was_not_done_although_the_answer_is_there_is_found() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "false");
    asks(13, "b", RELEASED);
    replayed(14, "b", RELEASED, "a", 1);
    kept(RELEASED, "a", 1);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void an_owner_that_is_told_of_a_loss_that_never_was_is_found() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    refused(9, "a", UNKNOWN, "OWNERSHIP_LOST");
    store.put(UNKNOWN, new FinalRecord(1, null));
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void a_record_that_is_gone_without_an_answer_is_found() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    refused(9, "a", UNKNOWN, "OUTCOME_UNKNOWN");
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
    store.put(UNKNOWN, new FinalRecord(1, null));
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_run_after_a_claim_of_a_killed_process_held_the_key_is_found() {
    asks(0, "a", UNKNOWN);
    asks(60_000, "b", UNKNOWN);
    refused(60_001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    asks(60_002, "c", UNKNOWN);
    runs(60_003, "c", UNKNOWN, 2);
    executed(60_004, "c", UNKNOWN, 2);
    kept(UNKNOWN, "c", 2);
    assertThat(broken()).containsExactly(Rule.LINEARIZABLE);
  }

  @Test
  void hundreds_of_calls_at_once_are_judged() {
    for (int i = 0; i < 300; i++) {
      asks(i, "w" + i, AGAIN);
    }
    asks(301, "a", AGAIN);
    runs(302, "a", AGAIN, 1);
    for (int i = 0; i < 300; i++) {
      if (i % 3 == 0) {
        refused(1000 + i, "w" + i, AGAIN, "STORE_DOWN");
      } else if (i % 3 == 1) {
        refused(1000 + i, "w" + i, AGAIN, "BUSY");
      } else {
        replayed(1000 + i, "w" + i, AGAIN, "a", 1);
      }
    }
    executed(2000, "a", AGAIN, 1);
    kept(AGAIN, "a", 1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void an_unknown_outcome_after_a_replay_is_found() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    asks(6, "b", UNKNOWN);
    replayed(9, "b", UNKNOWN, "a", 1);
    asks(10, "c", UNKNOWN);
    refused(11, "c", UNKNOWN, "OUTCOME_UNKNOWN");
    executed(12, "a", UNKNOWN, 1);
    kept(UNKNOWN, "a", 1);
    assertThat(broken()).containsExactly(Rule.ANSWER_STAYS);
  }

  @Test
  void a_run_after_an_answer_is_found_although_a_release_came_later() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    asks(1100, "b", RELEASED);
    runs(1105, "b", RELEASED, 2);
    executed(1109, "b", RELEASED, 2);
    released(1110, 1112, "p", RELEASED, 1, "true");
    kept(RELEASED, "b", 2);
    assertThat(broken()).contains(Rule.ANSWER_STAYS);
  }

  @Test
  void a_released_answer_that_is_given_again_is_found() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "true");
    asks(13, "b", RELEASED);
    replayed(14, "b", RELEASED, "a", 1);
    assertThat(broken()).containsExactly(Rule.RELEASED_IS_GONE);
  }

  @Test
  void a_released_answer_that_is_given_after_the_next_one_is_found() {
    asks(0, "a", RELEASED);
    runs(5, "a", RELEASED, 1);
    executed(9, "a", RELEASED, 1);
    released(10, 12, "p", RELEASED, 1, "unknown");
    asks(20, "b", RELEASED);
    runs(21, "b", RELEASED, 2);
    executed(22, "b", RELEASED, 2);
    asks(23, "c", RELEASED);
    replayed(24, "c", RELEASED, "a", 1);
    kept(RELEASED, "b", 2);
    assertThat(broken()).containsExactly(Rule.RELEASED_IS_GONE);
  }

  @Test
  void an_unknown_outcome_that_nobody_ran_is_found() {
    asks(0, "a", UNKNOWN);
    refused(1, "a", UNKNOWN, "BUSY");
    asks(2000, "b", UNKNOWN);
    refused(2001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    assertThat(broken()).containsExactly(Rule.UNKNOWN_AFTER_A_RUN);
  }

  @Test
  void a_claim_in_doubt_that_is_never_withdrawn_is_found() {
    asks(0, "a", UNKNOWN);
    refused(700, "a", UNKNOWN, "STORE_DOWN");
    isWell(701, 20_000, "a");
    asks(20_000, "b", UNKNOWN);
    refused(20_001, "b", UNKNOWN, "OUTCOME_UNKNOWN");
    assertThat(broken()).containsExactly(Rule.UNKNOWN_AFTER_A_RUN);
  }

  @Test
  void another_request_that_runs_or_gets_the_answer_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    event(10, Kind.INVOKED, "b", AGAIN, 0, Event.OTHER);
    replayed(11, "b", AGAIN, "a", 1);
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.OTHER_REQUEST_REFUSED);
    event(12, Kind.INVOKED, "c", AGAIN, 0, Event.OTHER);
    runs(13, "c", AGAIN, 2);
    assertThat(checker().violations()).hasSize(2);
  }

  @Test
  void two_answers_are_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    asks(2000, "b", AGAIN);
    runs(2005, "b", AGAIN, 2);
    executed(2009, "b", AGAIN, 2);
    kept(AGAIN, "b", 2);
    assertThat(broken()).contains(Rule.ONE_ANSWER);
  }

  @Test
  void a_replay_of_another_answer_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    asks(10, "b", AGAIN);
    replayed(11, "b", AGAIN, "x", 1);
    kept(AGAIN, "a", 1);
    assertThat(broken())
        .containsExactlyInAnyOrder(Rule.ONE_ANSWER, Rule.FROM_A_RUN, Rule.ANSWER_STAYS);
  }

  @Test
  void another_keys_answer_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(10, "b", UNKNOWN);
    event(11, Kind.REPLAYED, "b", UNKNOWN, 0, Keys.answerText(AGAIN, "a", 1));
    store.put(UNKNOWN, new FinalRecord(1, Keys.answerText(AGAIN, "a", 1)));
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.FROM_A_RUN);
  }

  @Test
  void a_late_record_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 2);
    executed(1300, "a", AGAIN, 1);
    refused(1310, "b", AGAIN, "OWNERSHIP_LOST");
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.LAST_OWNER);
  }

  @Test
  void a_late_record_that_no_client_was_told_of_is_found_in_the_store() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 2);
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.LAST_OWNER);
  }

  @Test
  void an_answer_under_another_ones_fence_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    store.put(AGAIN, new FinalRecord(2, Keys.answerText(AGAIN, "a", 1)));
    assertThat(broken()).containsExactly(Rule.LAST_OWNER);
  }

  @Test
  void a_fence_that_does_not_grow_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 7);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 6);
    assertThat(broken()).contains(Rule.FENCES_GROW);
  }

  @Test
  void a_fence_that_is_used_twice_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 7);
    asks(1200, "b", AGAIN);
    runs(1205, "b", AGAIN, 7);
    assertThat(broken()).contains(Rule.FENCES_GROW);
  }

  @Test
  void a_fence_that_does_not_grow_is_found_across_others() {
    asks(0, "c", AGAIN);
    runs(10_000, "c", AGAIN, 3);
    asks(5000, "b", AGAIN);
    runs(20_000, "b", AGAIN, 2);
    asks(11_000, "a", AGAIN);
    runs(11_001, "a", AGAIN, 1);
    assertThat(broken()).contains(Rule.FENCES_GROW);
  }

  @Test
  void a_second_run_of_an_unknown_outcome_is_found() {
    asks(0, "a", UNKNOWN);
    runs(5, "a", UNKNOWN, 1);
    asks(1200, "b", UNKNOWN);
    runs(1205, "b", UNKNOWN, 2);
    executed(1210, "b", UNKNOWN, 2);
    kept(UNKNOWN, "b", 2);
    assertThat(broken()).containsExactly(Rule.UNKNOWN_RUNS_ONCE);
  }

  @Test
  void a_second_run_within_the_lease_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    asks(500, "b", AGAIN);
    runs(505, "b", AGAIN, 2);
    executed(510, "b", AGAIN, 2);
    kept(AGAIN, "b", 2);
    assertThat(broken()).containsExactly(Rule.LEASE_RESPECTED);
  }

  @Test
  void an_answer_that_is_gone_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    assertThat(broken()).containsExactly(Rule.DURABLE);
    store.put(AGAIN, new FinalRecord(1, null));
    assertThat(broken()).containsExactly(Rule.DURABLE);
  }

  @Test
  void a_run_without_protection_is_found() {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    event(9, Kind.UNRECORDED, "a", AGAIN, 1, Keys.answerText(AGAIN, "a", 1));
    kept(AGAIN, "a", 1);
    assertThat(broken()).containsExactly(Rule.PROTECTED);
  }

  @Test
  void a_surprise_is_found() {
    asks(0, "a", AGAIN);
    refused(1, "a", AGAIN, "MISMATCH");
    asks(0, "b", UNKNOWN);
    event(1, Kind.FAILED, "b", UNKNOWN, 0, "java.lang.NullPointerException");
    assertThat(broken()).containsExactly(Rule.EXPECTED);
    assertThat(checker().violations()).hasSize(2);
  }

  @Test
  void damage_to_an_answer_is_seen() {
    String text = Keys.answerText(AGAIN, "a", 1);
    assertThat(Keys.text(Keys.answer(text, 100))).isEqualTo(text);
    String body = ((Body.Full) Keys.answer(text, 100).body()).bytes().toUtf8();
    String damaged = body.substring(0, body.length() - 1) + " ";
    assertThat(Keys.text(Answer.success(201, Body.of(damaged)))).isNotEqualTo(text);
  }

  @Test
  void an_event_survives_its_line() {
    Event event = new Event(12, Kind.RAN, "anna", "anna/1/2", AGAIN, 3, "an answer");
    assertThat(Event.parse(event.line())).isEqualTo(event);
    Event empty = new Event(12, Kind.INVOKED, "anna", "anna/1/2", AGAIN, 0, "");
    assertThat(Event.parse(empty.line())).isEqualTo(empty);
  }

  @Test
  void a_history_survives_its_files(@TempDir Path folder) {
    asks(0, "a", AGAIN);
    runs(5, "a", AGAIN, 1);
    executed(9, "a", AGAIN, 1);
    kept(AGAIN, "a", 1);
    store.put(UNKNOWN, new FinalRecord(7, null));
    Path file = HistoryFile.write(folder, "a run", history, FinalState.after(history, store));
    assertThat(HistoryFile.events(file).byKey()).isEqualTo(history.byKey());
    assertThat(HistoryFile.kept(file)).isEqualTo(store);
  }

  private Checker checker() {
    return new Checker(history, FinalState.after(history, store), Promises.all(LEASE));
  }

  private Set<Rule> broken() {
    return checker().violations().stream().map(Violation::rule).collect(Collectors.toSet());
  }

  private Set<Rule> brokenBehindACache() {
    Set<Rule> notPromised = Set.of(Rule.BUSY_ENDS, Rule.RELEASED_IS_GONE);
    Promises promises = new Promises(LEASE, notPromised);
    return new Checker(history, FinalState.after(history, store), promises)
        .violations().stream().map(Violation::rule).collect(Collectors.toSet());
  }

  /** It asks for something else now and then, and is not refused because the store failed. */
  private void isWell(long from, long until, String process) {
    for (long millis = from; millis <= until; millis += 1000) {
      String call = process + millis;
      history.accept(new Event(millis * 1_000_000, Kind.INVOKED, process, call, ANOTHER, 0, ""));
      history.accept(
          new Event(millis * 1_000_000, Kind.REFUSED, process, call, ANOTHER, 0, "OWNERSHIP_LOST"));
    }
  }

  private void asks(long millis, String client, String key) {
    event(millis, Kind.INVOKED, client, key, 0, "");
  }

  private void runs(long millis, String client, String key, long fence) {
    event(millis, Kind.RAN, client, key, fence, Keys.answerText(key, client, fence));
  }

  private void executed(long millis, String client, String key, long fence) {
    event(millis, Kind.EXECUTED, client, key, fence, Keys.answerText(key, client, fence));
  }

  private void replayed(long millis, String client, String key, String owner, long fence) {
    event(millis, Kind.REPLAYED, client, key, 0, Keys.answerText(key, owner, fence));
  }

  private void refused(long millis, String client, String key, String reason) {
    event(millis, Kind.REFUSED, client, key, 0, reason);
  }

  /** Here each client makes one call. */
  private void event(long millis, Kind kind, String client, String key, long fence, String text) {
    history.accept(new Event(millis * 1_000_000, kind, client, client, key, fence, text));
  }

  private void released(
      long millis, long done, String person, String key, long fence, String text) {
    event(millis, Kind.RELEASING, person, key, fence, "");
    event(done, Kind.RELEASED, person, key, fence, text);
  }

  private void kept(String key, String owner, long fence) {
    store.put(key, new FinalRecord(fence, Keys.answerText(key, owner, fence)));
  }
}
