package dev.once.core;

import static dev.once.core.FaultyStore.Fault.ARRIVES_LATE;
import static dev.once.core.FaultyStore.Fault.HANGS;
import static dev.once.core.FaultyStore.Fault.LATE;
import static dev.once.core.FaultyStore.Fault.NONE;
import static dev.once.core.FaultyStore.Fault.NOT_TAKEN;
import static dev.once.core.FaultyStore.Fault.REPLY_LOST;
import static dev.once.core.FaultyStore.Fault.REQUEST_LOST;
import static dev.once.core.FaultyStore.Fault.UNCONFIRMED;
import static dev.once.core.FaultyStore.Fault.UNREADABLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Claims of which nobody knows whether they were granted: no key stays taken for nobody. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WithdrawalTest extends EngineFixture {

  private static final Duration SOON = Duration.ofSeconds(2);

  /** Longer than anything that was sent can still be under way. */
  private static final Duration LONG = Duration.ofMinutes(30);

  @Test
  void a_claim_without_a_reply_is_withdrawn_so_that_a_retry_may_run() {
    store.next(REPLY_LOST, REPLY_LOST);
    var begun = once.begin(pay("key"));
    time.passes(Duration.ofMillis(20));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(record(pay("key"))).as("granted, and nobody runs it").isPresent();
    time.passes(Duration.ofSeconds(1));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_withdrawal_goes_on_until_the_store_is_back() {
    store.next(REPLY_LOST);
    var begun = once.begin(pay("key"));
    store.down(true);
    time.passes(Duration.ofSeconds(30));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(record(pay("key"))).isPresent();
    store.down(false);
    time.passes(Duration.ofSeconds(5));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_grant_that_comes_after_the_time_limit_is_given_back() {
    store.next(LATE);
    var begun = once.begin(pay("key"));
    store.down(true);
    time.passes(Duration.ofMinutes(6));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    store.down(false);
    store.deliverLateReplies();
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_claim_that_the_store_did_not_take_is_neither_repeated_nor_withdrawn() {
    store.next(NOT_TAKEN);
    assertThat(refusal(once.begin(pay("key"))).reason()).isEqualTo(Reason.STORE_DOWN);
    time.passes(Duration.ofSeconds(10));
    assertThat(store.calls()).containsExactly("claim");
  }

  @Test
  void a_claim_that_was_granted_while_its_second_try_was_refused_is_withdrawn() {
    store.next(REPLY_LOST, NOT_TAKEN);
    var begun = once.begin(pay("key"));
    time.passes(Duration.ofMillis(20));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(record(pay("key"))).as("granted, and nobody runs it").isPresent();
    time.passes(SOON);
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_claim_whose_second_try_met_an_unreadable_record_is_withdrawn() {
    store.next(REPLY_LOST, UNREADABLE);
    var begun = once.begin(pay("key"));
    time.passes(SOON);
    assertThat(refusal(begun).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void of_hundreds_of_claims_in_doubt_none_is_forgotten() {
    List<CompletionStage<Begun>> begun = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      store.next(LATE); // granted; the reply does not come in time
      begun.add(once.begin(pay("key " + i)));
    }
    store.down(true);
    time.passes(Duration.ofSeconds(6));
    store.down(false);
    begun.forEach(b -> assertThat(refusal(b).reason()).isEqualTo(Reason.STORE_DOWN));
    assertThat(memory.size()).isEqualTo(400);
    time.passes(Duration.ofSeconds(30));
    assertThat(memory.size()).isZero();
  }

  @Test
  void only_so_many_are_withdrawn_at_once_while_the_store_does_not_answer() {
    store.down(true);
    for (int i = 0; i < 1_000; i++) {
      once.begin(pay("key " + i));
    }
    time.passes(Duration.ofMinutes(10));
    store.calls();
    time.passes(Duration.ofSeconds(10));
    assertThat(store.calls()).hasSizeBetween(5 * 64, 11 * 64).containsOnly("withdraw");
  }

  @Test
  void a_withdrawal_goes_on_for_longer_than_the_lease() {
    store.next(REPLY_LOST);
    once.begin(pay("key"));
    store.down(true);
    time.passes(LEASE.multipliedBy(3));
    store.down(false);
    time.passes(Duration.ofSeconds(10));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_withdrawal_never_claims() {
    store.next(REQUEST_LOST, REQUEST_LOST);
    once.begin(pay("key"));
    time.passes(Duration.ofMillis(20));
    assertThat(store.calls()).containsExactly("claim", "claim");
    store.next(REPLY_LOST, REPLY_LOST, HANGS);
    time.passes(SOON);
    assertThat(record(pay("key"))).as("nobody runs it").isEmpty();
    time.passes(LONG);
    assertThat(record(pay("key"))).isEmpty();
    assertThat(store.calls()).isNotEmpty().containsOnly("withdraw");
  }

  @Test
  void a_claim_that_arrives_after_its_withdrawal_is_withdrawn_again() {
    store.next(ARRIVES_LATE, REQUEST_LOST);
    var begun = once.begin(pay("key"));
    time.passes(Duration.ofSeconds(8));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    store.deliverLateArrivals();
    assertThat(record(pay("key"))).as("granted, and nobody runs it").isPresent();
    time.passes(Duration.ofSeconds(16));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_claim_that_arrives_a_quarter_of_an_hour_late_is_withdrawn_within_a_minute() {
    store.next(ARRIVES_LATE, REQUEST_LOST);
    once.begin(pay("key"));
    time.passes(Duration.ofMinutes(15));
    store.deliverLateArrivals();
    time.passes(Duration.ofMinutes(1));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_claim_of_which_one_try_got_an_answer_and_another_arrives_late_is_withdrawn() {
    Execution owner = proceed(engine(), pay("key"));
    store.next(ARRIVES_LATE);
    var begun = once.begin(pay("key"));
    time.passes(SOON);
    assertThat(refusal(begun).reason()).isEqualTo(Reason.BUSY);
    now(owner.release());
    store.deliverLateArrivals();
    assertThat(record(pay("key"))).as("granted, and nobody runs it").isPresent();
    time.passes(Duration.ofSeconds(10));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_claim_that_runs_is_not_withdrawn_although_one_of_its_tries_is_in_doubt() {
    store.next(ARRIVES_LATE);
    var begun = once.begin(pay("key"));
    time.passes(SOON);
    Execution running = ((Begun.Proceed) now(begun)).execution();
    store.deliverLateArrivals();
    time.passes(LONG);
    assertThat(store.calls()).doesNotContain("withdraw");
    assertThat(now(running.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_try_that_arrives_after_its_run_released_the_key_is_withdrawn() {
    store.next(ARRIVES_LATE);
    var begun = once.begin(pay("key"));
    time.passes(SOON);
    now(((Begun.Proceed) now(begun)).execution().release());
    store.deliverLateArrivals();
    assertThat(record(pay("key"))).as("granted, and nobody runs it").isPresent();
    time.passes(SOON);
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_try_that_arrives_after_its_answer_was_not_kept_is_withdrawn() {
    Operation operation = pay("key", policy -> policy.onFailure(OnEnd.RELEASE));
    store.next(ARRIVES_LATE);
    var begun = once.begin(operation);
    time.passes(SOON);
    now(((Begun.Proceed) now(begun)).execution().complete(FAILED));
    store.deliverLateArrivals();
    time.passes(SOON);
    assertThat(record(operation)).isEmpty();
  }

  @Test
  void a_try_of_a_duplicate_that_waited_and_got_the_answer_is_withdrawn() {
    Operation waits = pay("key", p -> p.onBusy(OnBusy.WAIT).onFailure(OnEnd.RELEASE).lease(LEASE));
    Execution owner = proceed(waits);
    store.next(ARRIVES_LATE);
    var duplicate = once.begin(waits);
    time.passes(Duration.ofMillis(20));
    now(owner.complete(PAID));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
    Fence answered = record(waits).orElseThrow().lease().fence();
    now(memory.forceRelease(waits.id(), answered));
    store.deliverLateArrivals();
    time.passes(SOON);
    assertThat(record(waits)).isEmpty();
  }

  @Test
  void an_answer_is_never_withdrawn() {
    store.next(REPLY_LOST, NOT_TAKEN);
    once.begin(pay("key"));
    time.passes(SOON);
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
    time.passes(LONG);
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void a_reply_that_comes_late_settles_it_with_one_withdrawal() {
    store.next(LATE);
    once.begin(pay("key"));
    time.passes(Duration.ofSeconds(5));
    store.calls();
    store.deliverLateReplies();
    time.passes(LONG);
    assertThat(store.calls()).containsExactly("withdraw");
    assertThat(time.pendingTimers()).as("nothing is left but the purge").isEqualTo(1);
  }

  @Test
  void a_claim_that_was_not_confirmed_is_withdrawn_until_that_is_confirmed_and_no_more() {
    store.next(UNCONFIRMED, UNCONFIRMED, UNCONFIRMED, UNCONFIRMED);
    var begun = once.begin(pay("key"));
    time.passes(LONG);
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(record(pay("key"))).isEmpty();
    assertThat(store.calls()).containsExactly("claim", "claim", "withdraw", "withdraw", "withdraw");
  }

  @Test
  void a_late_reply_that_is_no_grant_leaves_nothing_to_withdraw() {
    run(pay("key"), PAID);
    store.next(LATE);
    once.begin(pay("key"));
    time.passes(Duration.ofSeconds(5));
    store.calls();
    store.deliverLateReplies();
    time.passes(LONG);
    assertThat(store.calls()).isEmpty();
  }

  @Test
  void withdrawals_end_after_a_while_and_leave_no_timer() {
    store.next(REQUEST_LOST, REQUEST_LOST);
    once.begin(pay("key"));
    time.passes(LONG);
    assertThat(store.calls()).hasSizeBetween(10, 40);
    time.passes(LONG);
    assertThat(store.calls()).isEmpty();
    assertThat(time.pendingTimers()).as("nothing is left but the purge").isEqualTo(1);
  }

  @Test
  void a_release_that_the_store_does_not_take_is_not_forgotten() {
    Execution execution = proceed(pay("key"));
    store.down(true);
    var released = execution.release();
    time.passes(LEASE.multipliedBy(2));
    assertThat(now(released)).isFalse();
    store.down(false);
    time.passes(Duration.ofSeconds(10));
    assertThat(record(pay("key"))).isEmpty();
  }

  @Test
  void a_closed_engine_withdraws_nothing_more_and_leaves_no_timer() {
    Once closing = engine();
    for (int i = 0; i < 100; i++) {
      store.next(REPLY_LOST, REQUEST_LOST);
      closing.begin(pay("key " + i));
    }
    time.passes(Duration.ofMillis(20));
    closing.close();
    store.calls();
    time.passes(LONG);
    assertThat(store.calls()).isEmpty();
    assertThat(time.pendingTimers()).as("the purge of the engine that is open").isEqualTo(1);
  }

  @Test
  void a_grant_that_comes_after_the_engine_was_closed_is_given_back() {
    store.next(LATE, NONE);
    Once closing = engine();
    closing.begin(pay("key"));
    closing.close();
    time.passes(SOON.plusSeconds(5));
    store.deliverLateReplies();
    assertThat(record(pay("key"))).isEmpty();
  }
}
