package dev.once.core;

import static dev.once.core.FaultyStore.Fault.REQUEST_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Refusal.Reason;
import dev.once.core.store.spi.WaitingCaller;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WaitingCallerTest extends EngineFixture {

  private static final Duration LIMIT = Duration.ofSeconds(5);

  @Test
  void a_store_may_use_the_thread_that_runs_an_operation_for_as_long_as_a_call_may_take() {
    run(pay("key"), PAID);
    assertThat(store.callerThreadTimes()).containsExactly(Optional.of(LIMIT), Optional.of(LIMIT));
  }

  @Test
  void a_store_may_not_use_the_thread_of_a_caller_that_does_not_wait() {
    now(once.runAsync(pay("key"), execution -> CompletableFuture.completedFuture(PAID)));
    now(once.begin(pay("key")));
    assertThat(store.callerThreadTimes()).containsOnly(Optional.empty());
  }

  @Test
  void a_caller_that_says_that_it_waits_gives_its_thread() {
    once.await(() -> once.begin(pay("key")));
    assertThat(store.callerThreadTimes()).containsExactly(Optional.of(LIMIT));
  }

  @Test
  void the_thread_is_given_for_one_step_and_not_for_what_that_sets_off() {
    Optional<Duration> second =
        WaitingCaller.await(
            LIMIT,
            () -> {
              assertThat(WaitingCaller.takeCallerThread()).isEqualTo(LIMIT);
              return CompletableFuture.completedFuture(
                  Optional.ofNullable(WaitingCaller.takeCallerThread()));
            });
    assertThat(second).isEmpty();
  }

  @Test
  void a_thread_that_was_not_used_is_not_given_to_the_next_call() {
    assertThatThrownBy(
            () ->
                WaitingCaller.await(
                    LIMIT,
                    () -> {
                      throw new IllegalStateException("before the store was called");
                    }))
        .hasMessageContaining("before the store");
    assertThat(WaitingCaller.takeCallerThread()).isNull();
  }

  @Test
  void a_store_that_used_the_thread_for_too_long_and_failed_is_not_asked_again() {
    store.next(REQUEST_LOST);
    store.meanwhile(() -> time.passes(LIMIT));
    assertThat(refusal(once.begin(pay("key"))).reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(store.calls()).containsExactly("claim");
  }
}
