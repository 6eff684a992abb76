package dev.once.core;

import static dev.once.core.FaultyStore.Fault.LATE;
import static dev.once.core.FaultyStore.Fault.REQUEST_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RenewalTest extends EngineFixture {

  private final Operation payment = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));

  @Test
  void the_lease_renews_itself_while_the_handler_runs_and_stops_when_it_ends() {
    Execution execution = proceed(payment);
    time.passes(LEASE.multipliedBy(5));
    assertThat(store.calls()).filteredOn("renew"::equals).hasSize(15);
    assertThat(refusal(engine().begin(payment)).reason()).isEqualTo(Reason.BUSY);
    now(execution.complete(PAID));
    store.calls();
    time.passes(LEASE.multipliedBy(5));
    assertThat(store.calls()).isEmpty();
  }

  @Test
  void a_renewal_that_fails_is_tried_again_before_the_lease_ends() {
    proceed(payment);
    store.next(REQUEST_LOST, REQUEST_LOST, REQUEST_LOST);
    time.passes(LEASE.multipliedBy(2));
    assertThat(refusal(engine().begin(payment)).reason()).isEqualTo(Reason.BUSY);
  }

  @Test
  void renewal_goes_on_while_recording_is_tried_again() {
    Execution execution = proceed(payment);
    store.calls();
    store.down(true);
    execution.complete(PAID);
    time.passes(LEASE.dividedBy(2));
    assertThat(store.calls()).contains("renew", "complete");
  }

  @Test
  void a_handler_is_told_when_its_key_was_taken_over() {
    Execution late = proceed(payment);
    store.down(true);
    time.passes(LEASE);
    store.down(false);
    proceed(engine(), payment);
    time.passes(LEASE.dividedBy(3));
    assertThat(late.lost().toCompletableFuture()).isDone();
  }

  @Test
  void a_handler_is_told_at_once_when_its_own_process_took_the_key_over() {
    Execution late = proceed(payment);
    store.down(true);
    time.passes(LEASE);
    store.down(false);
    proceed(payment);
    assertThat(late.lost().toCompletableFuture()).isDone();
  }

  @Test
  void a_clock_that_jumps_takes_nothing_from_a_handler_that_runs_in_the_same_process() {
    Execution execution = proceed(payment);
    time.jumps(LEASE.multipliedBy(10));
    assertThat(refusal(once.begin(payment)).reason()).isEqualTo(Reason.BUSY);
    now(execution.complete(PAID));
    assertThat(now(once.begin(payment))).isEqualTo(new Begun.Replay(PAID));
  }

  @Test
  void a_handler_that_never_returns_counts_as_crashed_after_the_longest_run() {
    Operation operation =
        pay("key", p -> p.onCrash(OnCrash.RUN_AGAIN).longestRun(Duration.ofMinutes(20)));
    proceed(operation);
    time.passes(Duration.ofMinutes(20));
    assertThat(refusal(engine().begin(operation)).reason()).isEqualTo(Reason.BUSY);
    time.passes(LEASE.multipliedBy(2));
    assertThat(proceed(engine(), operation).attempt()).isEqualTo(2);
  }

  @Test
  void leases_of_different_lengths_are_each_renewed_in_time() {
    Operation brief = pay("brief", p -> p.lease(Duration.ofMillis(300)));
    proceed(pay("long"));
    proceed(brief);
    proceed(pay("another"));
    for (int i = 0; i < 100; i++) {
      time.passes(Duration.ofMillis(77));
      assertThat(refusal(engine().begin(brief)).reason()).isEqualTo(Reason.BUSY);
    }
  }

  @Test
  void a_closed_engine_renews_nothing() {
    proceed(payment);
    store.calls();
    once.close();
    time.passes(LEASE.multipliedBy(3));
    assertThat(store.calls()).isEmpty();
    assertThat(proceed(engine(), payment).attempt()).isEqualTo(2);
  }

  /** Found by the simulation: the late reply of a lower fence displaced the owner. */
  @Test
  void a_grant_that_is_heard_of_late_does_not_displace_a_higher_one() {
    store.next(LATE);
    var slow = once.begin(payment);
    Fence lower = record(payment).orElseThrow().lease().fence();
    assertThat(now(memory.forceRelease(payment.id(), lower))).isTrue();
    Execution owner = proceed(payment);
    store.deliverLateReplies();
    Execution late = ((Begun.Proceed) now(slow)).execution();
    assertThat(late.lost().toCompletableFuture()).isDone();
    assertThat(owner.lost().toCompletableFuture()).isNotDone();
    time.passes(LEASE.multipliedBy(2));
    assertThat(refusal(engine().begin(payment)).reason()).isEqualTo(Reason.BUSY);
    assertThat(now(owner.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void an_execution_left_without_an_answer_is_busy_until_its_lease_ends_and_then_crashed() {
    Execution first = proceed(payment);
    first.abandon();
    time.passes(LEASE.minusMillis(1));
    assertThat(refusal(engine().begin(payment)).reason()).isEqualTo(Reason.BUSY);
    time.passes(Duration.ofMillis(1));
    assertThat(proceed(payment).attempt()).isEqualTo(2);
    assertThatThrownBy(() -> first.complete(PAID)).isInstanceOf(ExecutionEndedException.class);
  }
}
