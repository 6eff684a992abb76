package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnStoreDown;
import dev.once.core.Refusal.Reason;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The store has room for claims, and none for answers. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FullStoreTest extends EngineFixture {

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** One operation ran, and its answer was not recorded. */
  private void becomesFull() {
    store.full(true);
    assertThat(reason(run(pay("unrecorded"), PAID))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void after_a_failed_record_nothing_is_claimed_until_a_write_succeeds() {
    becomesFull();
    for (int i = 0; i < 10; i++) {
      assertThat(reason(run(pay("key " + i), PAID))).isEqualTo(Reason.STORE_DOWN);
      assertThat(record(pay("key " + i))).isEmpty();
      time.passes(SECOND);
    }
    assertThat(runs).isEqualTo(1);
    store.full(false);
    time.passes(SECOND.multipliedBy(2));
    assertThat(run(pay("key 1"), PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void who_ran_the_operation_is_told_at_once_and_its_answer_is_recorded_when_there_is_room() {
    store.full(true);
    Execution execution = proceed(pay("key"));
    assertThat(reason(now(execution.complete(PAID)))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    time.passes(SECOND.multipliedBy(10));
    store.full(false);
    time.passes(SECOND.multipliedBy(2));
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
    assertThat(runs).isZero();
  }

  @Test
  void what_was_recorded_before_is_replayed() {
    run(pay("before"), PAID);
    runs = 0;
    becomesFull();
    assertThat(run(pay("before"), FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void it_is_probed_now_and_then_and_not_by_each_request() {
    becomesFull();
    store.calls();
    for (int i = 0; i < 100; i++) {
      run(pay("key " + i), PAID);
    }
    List<String> calls = store.calls();
    assertThat(Collections.frequency(calls, "claim")).as("the probe's").isEqualTo(1);
    assertThat(Collections.frequency(calls, "complete")).as("the probe's").isEqualTo(1);
  }

  @Test
  void a_probe_finds_that_there_is_room_when_nobody_tries_to_record_any_more() {
    becomesFull();
    time.passes(LEASE.multipliedBy(2)); // it has given up
    store.full(false);
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  /** A small one fits where a large one does not: neither a record nor a probe that is small. */
  @Test
  void a_small_record_does_not_prove_that_there_is_room_for_a_large_one() {
    Answer large = Answer.success(201, Body.of("x".repeat(100_000)));
    store.roomFor(50_000);
    Execution small = proceed(pay("small"));
    assertThat(reason(run(pay("large"), large))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(now(small.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(reason(run(pay("another"), large))).isEqualTo(Reason.STORE_DOWN);
    assertThat(runs).isEqualTo(1);
    store.full(false);
    time.passes(SECOND.multipliedBy(2));
    assertThat(run(pay("another"), large)).isEqualTo(new Result.Executed(large, true));
  }

  @Test
  void what_a_probe_said_before_a_record_failed_counts_no_more() {
    assertThat(now(once.canRecord())).isTrue();
    becomesFull();
    assertThat(reason(run(pay("another"), PAID))).isEqualTo(Reason.STORE_DOWN);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void where_the_policy_says_so_it_goes_on_unprotected() {
    becomesFull();
    Operation operation = pay("key", policy -> policy.onStoreDown(OnStoreDown.GO_ON));
    assertThat(run(operation, PAID)).isEqualTo(new Result.Executed(PAID, false));
  }

  @Test
  void a_record_that_failed_for_another_reason_costs_others_nothing() {
    Execution execution = proceed(pay("key"));
    store.next(FaultyStore.Fault.REQUEST_LOST);
    var recording = execution.complete(PAID);
    assertThat(recording.toCompletableFuture()).isNotDone();
    store.calls();
    assertThat(run(pay("other"), PAID)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(store.calls()).containsExactly("claim", "complete");
    time.passes(SECOND);
    assertThat(now(recording)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void who_asks_is_told_whether_answers_can_be_recorded() {
    assertThat(now(once.canRecord())).isTrue();
    store.full(true);
    time.passes(SECOND);
    assertThat(now(once.canRecord())).isFalse();
    assertThat(reason(run(pay("key"), PAID)))
        .as("nothing is run for it")
        .isEqualTo(Reason.STORE_DOWN);
    store.full(false);
    time.passes(SECOND);
    assertThat(now(once.canRecord())).isTrue();
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
    store.down(true);
    time.passes(SECOND);
    assertThat(now(once.canRecord())).isFalse();
  }

  @Test
  void a_store_that_takes_no_more_keys_still_records_answers() {
    for (int i = 0; i < 1_000; i++) {
      proceed(pay("key " + i));
    }
    assertThat(reason(run(pay("one too many"), PAID))).isEqualTo(Reason.OVER_QUOTA);
    assertThat(now(once.canRecord())).isTrue();
  }
}
