package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WaitingTest extends EngineFixture {

  private final Operation payment = pay("key", policy -> policy.onBusy(OnBusy.WAIT));

  private CompletableFuture<Begun> duplicate(Once engine) {
    return engine.begin(payment).toCompletableFuture();
  }

  @Test
  void a_duplicate_in_the_same_process_gets_the_answer_without_asking_the_store_again() {
    Execution first = proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(once);
    assertThat(duplicate).isNotDone();
    store.calls();
    now(first.complete(PAID));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
    assertThat(store.calls()).containsExactly("complete");
  }

  @Test
  void a_duplicate_in_another_process_is_woken_by_the_store() {
    Execution first = proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(engine());
    now(first.complete(PAID));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
  }

  @Test
  void
      a_duplicate_does_not_get_an_answer_that_expired_before_its_owner_heard_that_it_is_recorded() {
    Operation brief =
        pay("key", policy -> policy.onBusy(OnBusy.WAIT).retention(Duration.ofSeconds(1)));
    Execution first = proceed(brief);
    store.next(FaultyStore.Fault.LATE);
    first.complete(PAID);
    time.passes(Duration.ofSeconds(1));
    Execution second = proceed(engine(), brief);
    CompletableFuture<Begun> duplicate = once.begin(brief).toCompletableFuture();
    store.deliverLateReplies();
    assertThat(duplicate).as("the key is another operation's by now").isNotDone();
    Answer other = Answer.success(202, Body.of("other"));
    now(second.complete(other));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(other));
  }

  @Test
  void
      a_duplicate_does_not_get_an_answer_that_was_released_before_its_owner_heard_that_it_is_recorded() {
    Operation operation = pay("key", policy -> policy.onBusy(OnBusy.WAIT));
    Execution first = proceed(operation);
    store.next(FaultyStore.Fault.LATE);
    first.complete(PAID);
    Fence fence = first.fence().orElseThrow();
    assertThat(now(store.inspection().forceRelease(operation.id(), fence))).isTrue();
    Execution second = proceed(engine(), operation);
    CompletableFuture<Begun> duplicate = once.begin(operation).toCompletableFuture();
    store.deliverLateReplies();
    assertThat(duplicate).as("the key is another operation's by now").isNotDone();
    Answer other = Answer.success(202, Body.of("other"));
    now(second.complete(other));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(other));
  }

  @Test
  void without_a_signal_a_duplicate_asks_again_ever_more_rarely() {
    store.withoutWakeUp();
    Execution first = proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(engine());
    store.calls();
    time.passes(Duration.ofSeconds(10));
    assertThat(duplicate).isNotDone();
    assertThat(store.calls()).hasSizeBetween(10, 25);
    now(first.complete(PAID));
    time.passes(Duration.ofSeconds(1));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
  }

  @Test
  void a_duplicate_waits_only_so_long() {
    proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(once);
    time.passes(payment.policy().longestWait().minusMillis(1));
    assertThat(duplicate).isNotDone();
    time.passes(Duration.ofMillis(1));
    assertThat(refusal(duplicate).reason()).isEqualTo(Reason.BUSY);
  }

  @Test
  void only_so_many_wait_and_a_place_that_is_left_can_be_taken() {
    Once narrow = configured(builder -> builder.maxWaiters(2));
    Execution first = proceed(narrow, payment);
    List<CompletableFuture<Begun>> duplicates = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      duplicates.add(duplicate(narrow));
    }
    assertThat(duplicates.get(0)).isNotDone();
    assertThat(duplicates.get(1)).isNotDone();
    assertThat(refusal(duplicates.get(2)).reason()).isEqualTo(Reason.BUSY);
    now(first.release());
    assertThat(duplicates.subList(0, 2))
        .filteredOn(CompletableFuture::isDone)
        .singleElement()
        .satisfies(next -> assertThat(now(next)).isInstanceOf(Begun.Proceed.class));
    assertThat(duplicate(narrow)).as("one left, one came").isNotDone();
  }

  @Test
  void a_duplicate_runs_if_the_first_one_released_the_key() {
    Execution first = proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(engine());
    now(first.release());
    assertThat(now(duplicate)).isInstanceOf(Begun.Proceed.class);
  }

  @Test
  void a_duplicate_takes_over_when_the_lease_of_a_crashed_owner_ends() {
    Operation operation =
        pay(
            "key",
            p ->
                p.onBusy(OnBusy.WAIT)
                    .onCrash(OnCrash.RUN_AGAIN)
                    .lease(Duration.ofSeconds(5))
                    .longestWait(Duration.ofSeconds(20)));
    proceed(operation);
    once.close();
    CompletableFuture<Begun> duplicate = engine().begin(operation).toCompletableFuture();
    time.passes(Duration.ofSeconds(5).plusMillis(1));
    Execution takenOver = ((Begun.Proceed) now(duplicate)).execution();
    assertThat(takenOver.attempt()).isEqualTo(2);
  }

  @Test
  void another_request_with_the_same_key_does_not_wait() {
    proceed(payment);
    Operation other = request("key", "pay 99", policy -> policy.onBusy(OnBusy.WAIT));
    assertThat(refusal(once.begin(other)).reason()).isEqualTo(Reason.MISMATCH);
  }

  @Test
  void a_duplicate_that_waits_when_the_engine_closes_is_refused() {
    proceed(engine(), payment);
    CompletableFuture<Begun> duplicate = duplicate(once);
    once.close();
    assertThat(refusal(duplicate).reason()).isEqualTo(Reason.BUSY);
  }

  @Test
  void a_store_that_fails_while_a_duplicate_waits_refuses_it_and_frees_its_place() {
    Once narrow = configured(builder -> builder.maxWaiters(1));
    proceed(narrow, payment);
    CompletableFuture<Begun> duplicate = duplicate(narrow);
    store.down(true);
    time.passes(Duration.ofSeconds(1));
    assertThat(refusal(duplicate).reason()).isEqualTo(Reason.STORE_DOWN);
    store.down(false);
    assertThat(duplicate(narrow)).isNotDone();
  }

  @Test
  void nothing_is_kept_of_duplicates_that_left() {
    LeasedExecution owner = (LeasedExecution) proceed(payment);
    for (int i = 0; i < 100; i++) {
      duplicate(once);
    }
    assertThat(owner.waiters()).isEqualTo(100);
    time.passes(payment.policy().longestWait());
    assertThat(once.waiters()).isZero();
    assertThat(owner.waiters()).isZero();
    CompletableFuture<Begun> another = duplicate(once);
    now(owner.complete(PAID));
    assertThat(now(another)).isEqualTo(new Begun.Replay(PAID));
    assertThat(owner.waiters()).isZero();
  }

  private static Stream<Throwable> failures() {
    return Stream.of(
        new IllegalStateException("no connection for signals"),
        new IOException("undeclared, as Kotlin throws it"),
        new NoClassDefFoundError("of a driver"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void a_wake_up_that_cannot_be_had_costs_nobody_a_place(Throwable failure) {
    store.withBrokenWakeUp(failure);
    Execution first = proceed(payment);
    Once narrow = configured(builder -> builder.maxWaiters(1));
    CompletableFuture<Begun> duplicate = duplicate(narrow);
    now(first.complete(PAID));
    time.passes(Duration.ofSeconds(1));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
    assertThat(narrow.waiters()).isZero();
  }

  @ParameterizedTest
  @MethodSource("failures")
  void a_wake_up_that_cannot_be_left_takes_no_claim_with_it(Throwable failure) {
    store.withWakeUpThatCannotBeLeft(failure);
    Execution first = proceed(payment);
    CompletableFuture<Begun> duplicate = duplicate(engine());
    now(first.release());
    time.passes(Duration.ofSeconds(1));
    assertThat(now(duplicate)).isInstanceOf(Begun.Proceed.class);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void a_wake_up_that_cannot_be_left_costs_nobody_the_answer_nor_a_place(Throwable failure) {
    store.withWakeUpThatCannotBeLeft(failure);
    Execution first = proceed(payment);
    Once narrow = configured(builder -> builder.maxWaiters(1));
    CompletableFuture<Begun> duplicate = duplicate(narrow);
    now(first.complete(PAID));
    time.passes(Duration.ofSeconds(1));
    assertThat(now(duplicate)).isEqualTo(new Begun.Replay(PAID));
    assertThat(narrow.waiters()).isZero();
  }
}
