package dev.once.core;

import static dev.once.core.FaultyStore.Fault.HANGS;
import static dev.once.core.FaultyStore.Fault.REPLY_LOST;
import static dev.once.core.FaultyStore.Fault.REQUEST_LOST;
import static dev.once.core.FaultyStore.Fault.THROWS;
import static dev.once.core.FaultyStore.Fault.UNREADABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnStoreDown;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BeginTest extends EngineFixture {

  @Test
  void a_first_request_runs_and_every_retry_gets_its_answer() {
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
    assertThat(run(engine(), pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void the_engine_asks_the_store_twice_for_a_first_request_and_once_for_a_retry() {
    run(pay("key"), PAID);
    assertThat(store.calls()).containsExactly("claim", "complete");
    run(pay("key"), PAID);
    assertThat(store.calls()).containsExactly("claim");
    proceed(pay("other"));
    store.calls();
    assertThat(reason(run(pay("other"), PAID))).isEqualTo(Reason.BUSY);
    assertThat(store.calls()).containsExactly("claim");
  }

  @Test
  void a_duplicate_of_a_running_request_is_told_to_come_back() {
    proceed(pay("key"));
    Refusal refusal = refusal(once.begin(pay("key")));
    assertThat(refusal.reason()).isEqualTo(Reason.BUSY);
    assertThat(refusal.retryAfter()).isPositive();
  }

  @Test
  void another_request_with_the_key_of_a_running_one_is_a_mismatch_and_not_busy() {
    proceed(pay("key"));
    Operation other = request("key", "pay 99", policy -> policy);
    assertThat(refusal(once.begin(other)).reason()).isEqualTo(Reason.MISMATCH);
  }

  @Test
  void another_request_with_the_key_of_a_finished_one_is_a_mismatch() {
    run(pay("key"), PAID);
    Operation other = request("key", "pay 99", policy -> policy);
    assertThat(refusal(once.begin(other)).reason()).isEqualTo(Reason.MISMATCH);
  }

  @Test
  void another_request_with_the_key_of_a_crashed_one_is_a_mismatch_and_takes_nothing_over() {
    Operation crashed = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    crashedOwner(crashed);
    Operation other = request("key", "pay 99", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    assertThat(refusal(once.begin(other)).reason()).isEqualTo(Reason.MISMATCH);
    assertThat(proceed(crashed).attempt()).isEqualTo(2);
  }

  @Test
  void a_crashed_request_runs_again_with_a_higher_fence_if_the_policy_says_so() {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    crashedOwner(operation);
    Fence crashed = record(operation).orElseThrow().lease().fence();
    Execution execution = proceed(operation);
    assertThat(execution.attempt()).isEqualTo(2);
    assertThat(execution.fence().orElseThrow()).isGreaterThan(crashed);
  }

  @Test
  void the_outcome_of_a_crashed_request_is_unknown_until_a_person_releases_the_key() {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.OUTCOME_UNKNOWN));
    crashedOwner(operation);
    assertThat(refusal(once.begin(operation)).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    time.passes(Duration.ofHours(1));
    assertThat(refusal(once.begin(operation)).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    Fence seen = record(operation).orElseThrow().lease().fence();
    assertThat(now(memory.forceRelease(operation.id(), seen))).isTrue();
    assertThat(run(operation, PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_crashed_request_is_held_as_busy_if_the_policy_says_so() {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.HOLD));
    crashedOwner(operation);
    assertThat(refusal(once.begin(operation)).reason()).isEqualTo(Reason.BUSY);
  }

  @Test
  void after_the_retention_time_the_key_is_new() {
    run(pay("key"), PAID);
    time.passes(Policy.DEFAULT.retention().minusMillis(1));
    assertThat(run(pay("key"), PAID)).isInstanceOf(Result.Replayed.class);
    time.passes(Duration.ofMillis(1));
    assertThat(run(pay("key"), PAID)).isInstanceOf(Result.Executed.class);
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void a_claim_whose_reply_was_lost_is_asked_for_again_and_runs_once() {
    store.next(REPLY_LOST);
    var begun = once.begin(pay("key"));
    time.passes(Duration.ofSeconds(1));
    Execution execution = ((Begun.Proceed) now(begun)).execution();
    assertThat(execution.attempt()).isEqualTo(1);
    assertThat(now(execution.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_store_that_fails_twice_means_that_nothing_runs() {
    store.next(REQUEST_LOST, THROWS);
    var begun = once.begin(pay("key"));
    time.passes(Duration.ofSeconds(1));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_store_that_hangs_is_given_up_after_the_time_limit() {
    store.next(HANGS);
    var begun = once.begin(pay("key")).toCompletableFuture();
    time.passes(Duration.ofSeconds(5).minusMillis(1));
    assertThat(begun).isNotDone();
    time.passes(Duration.ofMillis(1));
    assertThat(refusal(begun).reason()).isEqualTo(Reason.STORE_DOWN);
  }

  @Test
  void without_a_store_the_operation_goes_on_unprotected_if_the_policy_says_so() {
    store.down(true);
    var begun = once.begin(pay("key", policy -> policy.onStoreDown(OnStoreDown.GO_ON)));
    time.passes(Duration.ofSeconds(1));
    Execution execution = ((Begun.Proceed) now(begun)).execution();
    assertThat(execution.isProtected()).isFalse();
    assertThat(execution.fence()).isEmpty();
    assertThat(now(execution.complete(PAID))).isEqualTo(new Result.Executed(PAID, false));
  }

  @Test
  void a_full_store_refuses_new_keys_and_still_knows_the_old_ones() {
    MemoryStore small = new MemoryStore(time, 1, 1_000_000);
    try (Once tight = Once.builder(small).scheduler(time).build()) {
      run(tight, pay("key"), PAID);
      assertThat(refusal(tight.begin(pay("other"))).reason()).isEqualTo(Reason.OVER_QUOTA);
      assertThat(run(tight, pay("key"), PAID)).isEqualTo(new Result.Replayed(PAID));
      time.passes(Policy.DEFAULT.retention());
      assertThat(run(tight, pay("other"), PAID)).isEqualTo(new Result.Executed(PAID, true));
    }
  }

  @Test
  void nodes_whose_clocks_differ_by_a_day_agree() {
    VirtualTime ahead = new VirtualTime();
    ahead.passes(Duration.ofDays(1));
    try (Once other = configured(builder -> builder.scheduler(ahead))) {
      proceed(pay("running"));
      run(pay("finished"), PAID);
      assertThat(refusal(other.begin(pay("running"))).reason()).isEqualTo(Reason.BUSY);
      assertThat(run(other, pay("finished"), PAID)).isEqualTo(new Result.Replayed(PAID));
      ahead.passes(Duration.ofDays(10));
      assertThat(refusal(other.begin(pay("running"))).reason()).isEqualTo(Reason.BUSY);
      assertThat(run(other, pay("finished"), PAID)).isEqualTo(new Result.Replayed(PAID));
    }
  }

  @Test
  void a_closed_engine_says_so() {
    once.close();
    CompletableFuture<Begun> begun = once.begin(pay("key")).toCompletableFuture();
    assertThatThrownBy(begun::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("once: closed (expected: open)");
  }

  @Test
  void a_record_that_cannot_be_read_is_refused_even_if_the_policy_would_go_on() {
    run(pay("key"), PAID);
    store.next(UNREADABLE);
    Operation again = pay("key", policy -> policy.onStoreDown(OnStoreDown.GO_ON));
    assertThat(refusal(once.begin(again)).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    store.calls();
    time.passes(Duration.ofSeconds(10));
    assertThat(store.calls()).as("nothing is withdrawn").isEmpty();
  }
}
