package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Refusal.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How long a caller waits for its answer to be recorded, and what it has if it is not. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RecordingTest extends EngineFixture {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static void assertUnrecorded(Result result) {
    Result.Refused refused = (Result.Refused) result;
    assertThat(refused.refusal().reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(refused.unrecordedAnswer()).isEqualTo(PAID);
  }

  @Test
  void a_store_that_is_lost_keeps_the_caller_for_half_a_minute_and_not_for_a_lease() {
    Execution execution = proceed(pay("key"));
    store.down(true);
    CompletableFuture<Result> result = execution.complete(PAID).toCompletableFuture();
    time.passes(LIMIT.minusMillis(1));
    assertThat(result).isNotDone();
    time.passes(Duration.ofMillis(1));
    assertUnrecorded(now(result));
  }

  @Test
  void a_store_that_hangs_keeps_the_caller_no_longer_either() {
    Execution execution = proceed(pay("key"));
    for (int i = 0; i < 10; i++) {
      store.next(FaultyStore.Fault.HANGS);
    }
    CompletableFuture<Result> result = execution.complete(PAID).toCompletableFuture();
    time.passes(LIMIT);
    assertUnrecorded(now(result));
  }

  @Test
  void the_answer_is_recorded_in_the_background_when_the_store_is_back_within_a_lease() {
    Execution execution = proceed(pay("key"));
    store.down(true);
    var result = execution.complete(PAID);
    time.passes(LEASE.dividedBy(2));
    assertUnrecorded(now(result));
    store.down(false);
    time.passes(Duration.ofSeconds(1));
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void a_lease_that_is_shorter_is_the_limit() {
    Duration brief = Duration.ofSeconds(10);
    Execution execution = proceed(pay("key", policy -> policy.lease(brief)));
    store.down(true);
    var result = execution.complete(PAID);
    time.passes(brief);
    assertUnrecorded(now(result));
  }

  @Test
  void the_limit_can_be_set() {
    Once hasty = configured(builder -> builder.recordTimeout(Duration.ofSeconds(2)));
    Execution execution = proceed(hasty, pay("key"));
    store.down(true);
    CompletableFuture<Result> result = execution.complete(PAID).toCompletableFuture();
    time.passes(Duration.ofMillis(1_999));
    assertThat(result).isNotDone();
    time.passes(Duration.ofMillis(1));
    assertUnrecorded(now(result));
    CompletableFuture<Boolean> released =
        proceedAndRelease(hasty, pay("other")).toCompletableFuture();
    time.passes(Duration.ofSeconds(2));
    assertThat(now(released)).isFalse();
  }

  private CompletableFuture<Boolean> proceedAndRelease(Once engine, Operation operation) {
    store.down(false);
    Execution execution = proceed(engine, operation);
    store.down(true);
    return execution.release().toCompletableFuture();
  }

  @Test
  void a_store_that_was_closed_first_is_told_at_once() {
    Execution completed = proceed(pay("key"));
    Execution released = proceed(pay("other"));
    memory.close();
    assertUnrecorded(now(completed.complete(PAID)));
    assertThat(now(released.release())).isFalse();
    time.passes(LEASE.multipliedBy(2));
    assertThat(time.pendingTimers()).as("nothing is left but the purge").isEqualTo(1);
  }

  @Test
  void an_owner_that_lost_its_key_still_has_its_answer() {
    Execution late = proceed(pay("key"));
    now(memory.forceRelease(pay("key").id(), late.fence().orElseThrow()));
    Result.Refused lost = (Result.Refused) now(late.complete(PAID));
    assertThat(lost.refusal().reason()).isEqualTo(Reason.OWNERSHIP_LOST);
    assertThat(lost.unrecordedAnswer()).isEqualTo(PAID);
  }

  @Test
  void a_refusal_without_a_run_has_no_answer() {
    proceed(pay("key"));
    Result.Refused busy = (Result.Refused) run(pay("key"), PAID);
    assertThat(busy.unrecordedAnswer()).isNull();
  }
}
