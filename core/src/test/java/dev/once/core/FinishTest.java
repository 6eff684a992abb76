package dev.once.core;

import static dev.once.core.FaultyStore.Fault.HANGS;
import static dev.once.core.FaultyStore.Fault.REPLY_LOST;
import static dev.once.core.FaultyStore.Fault.REQUEST_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.OperationRecord.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FinishTest extends EngineFixture {

  @Test
  void the_answer_is_recorded_before_it_is_given() {
    Execution execution = proceed(pay("key"));
    store.next(HANGS);
    CompletableFuture<Result> result = execution.complete(PAID).toCompletableFuture();
    assertThat(result).isNotDone();
    time.passes(Duration.ofSeconds(6));
    assertThat(now(result)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(record(pay("key")).orElseThrow().answer()).isEqualTo(PAID);
  }

  @Test
  void recording_that_fails_is_tried_again_and_the_operation_does_not_run_again() {
    Execution execution = proceed(pay("key"));
    store.next(REQUEST_LOST, REQUEST_LOST, REQUEST_LOST);
    var result = execution.complete(PAID);
    time.passes(Duration.ofSeconds(1));
    assertThat(now(result)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void a_recording_whose_reply_was_lost_is_found_to_be_there() {
    Execution execution = proceed(pay("key"));
    store.next(REPLY_LOST);
    var result = execution.complete(PAID);
    time.passes(Duration.ofSeconds(1));
    assertThat(now(result)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void recording_that_fails_for_a_whole_lease_is_told_and_the_claim_stays() {
    Execution execution = proceed(pay("key"));
    store.down(true);
    var result = execution.complete(PAID).toCompletableFuture();
    time.passes(LEASE.minusSeconds(2));
    store.calls();
    time.passes(Duration.ofSeconds(1));
    assertThat(store.calls()).as("tried again for a lease").contains("complete");
    time.passes(Duration.ofSeconds(1));
    assertThat(reason(now(result))).isEqualTo(Reason.OUTCOME_UNKNOWN);
    store.down(false);
    time.passes(LEASE);
    assertThat(refusal(once.begin(pay("key"))).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(time.pendingTimers()).as("nothing is left but the purge").isEqualTo(1);
  }

  @Test
  void a_late_owner_cannot_record_and_is_told_that_it_lost() {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    Execution late = proceed(operation);
    store.down(true);
    time.passes(LEASE);
    store.down(false);
    Execution winner = proceed(engine(), operation);
    assertThat(reason(now(late.complete(FAILED)))).isEqualTo(Reason.OWNERSHIP_LOST);
    assertThat(now(winner.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(run(operation, FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void an_owner_whose_lease_is_over_may_still_record_if_nobody_took_over() {
    Execution execution = proceed(pay("key"));
    store.down(true);
    time.passes(LEASE.multipliedBy(2));
    store.down(false);
    assertThat(now(execution.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void failures_and_rejections_are_recorded_if_the_policy_says_so() {
    run(pay("rejected"), REJECTED);
    run(pay("failed"), FAILED);
    assertThat(run(pay("rejected"), PAID)).isEqualTo(new Result.Replayed(REJECTED));
    assertThat(run(pay("failed"), PAID)).isEqualTo(new Result.Replayed(FAILED));
    assertThat(record(pay("failed")).orElseThrow().status()).isEqualTo(Status.FAILED);
  }

  @Test
  void failures_are_released_and_rejections_kept_if_the_policy_says_so() {
    Operation rejected = pay("rejected", policy -> policy.onFailure(OnEnd.RELEASE));
    Operation failed = pay("failed", policy -> policy.onFailure(OnEnd.RELEASE));
    run(rejected, REJECTED);
    assertThat(run(failed, FAILED)).isEqualTo(new Result.Executed(FAILED, false));
    assertThat(run(rejected, PAID)).isEqualTo(new Result.Replayed(REJECTED));
    assertThat(run(failed, PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_release_that_fails_is_tried_again() {
    Operation operation = pay("key", policy -> policy.onRejection(OnEnd.RELEASE));
    Execution execution = proceed(operation);
    store.next(REQUEST_LOST);
    var result = execution.complete(REJECTED);
    time.passes(Duration.ofSeconds(1));
    assertThat(now(result)).isEqualTo(new Result.Executed(REJECTED, false));
    assertThat(record(operation)).isEmpty();
  }

  @Test
  void what_a_handler_throws_reaches_the_caller_and_is_recorded_without_its_message() {
    IllegalStateException bug = new IllegalStateException("card 4242 4242");
    assertThatThrownBy(
            () ->
                once.run(
                    pay("key"),
                    execution -> {
                      throw bug;
                    }))
        .isSameAs(bug);
    Answer expected = Answer.failure(500, Body.of("IllegalStateException"));
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Replayed(expected));
  }

  @Test
  void an_exception_frees_the_key_if_the_policy_releases_failures() {
    Operation operation = pay("key", policy -> policy.onFailure(OnEnd.RELEASE));
    IllegalStateException bug = new IllegalStateException();
    assertThatThrownBy(
            () ->
                once.run(
                    operation,
                    execution -> {
                      throw bug;
                    }))
        .isSameAs(bug);
    assertThat(run(operation, PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_handler_that_did_nothing_frees_the_key_whatever_the_policy_says() {
    NotRunException refused = new NotRunException("connection refused");
    assertThatThrownBy(
            () ->
                once.run(
                    pay("key"),
                    execution -> {
                      throw refused;
                    }))
        .isSameAs(refused);
    var async = once.runAsync(pay("key"), execution -> CompletableFuture.failedFuture(refused));
    assertThatThrownBy(() -> now(async)).hasCause(refused);
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_handler_that_answers_null_has_failed() {
    assertThatThrownBy(() -> once.run(pay("key"), execution -> null))
        .hasMessageContaining("null (expected: an Answer)");
    var async = once.runAsync(pay("other"), execution -> CompletableFuture.completedFuture(null));
    assertThatThrownBy(() -> now(async)).hasMessageContaining("null (expected: an Answer)");
    assertThat(record(pay("key")).orElseThrow().status()).isEqualTo(Status.FAILED);
    assertThat(record(pay("other")).orElseThrow().status()).isEqualTo(Status.FAILED);
  }

  @Test
  void an_execution_ends_once_and_the_first_end_counts() {
    Execution execution = proceed(pay("key"));
    now(execution.complete(PAID));
    assertThatThrownBy(() -> execution.complete(FAILED))
        .isInstanceOf(ExecutionEndedException.class)
        .hasMessageContaining("ended already");
    assertThatThrownBy(execution::release).isInstanceOf(ExecutionEndedException.class);
    assertThat(run(pay("key"), FAILED)).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void a_failure_answer_that_cannot_be_made_is_a_plain_one() {
    Once odd =
        configured(
            builder ->
                builder.failureAnswer(
                    cause -> {
                      throw new IllegalStateException("odd");
                    }));
    IllegalStateException bug = new IllegalStateException();
    assertThatThrownBy(
            () ->
                odd.run(
                    pay("key"),
                    execution -> {
                      throw bug;
                    }))
        .isSameAs(bug);
    assertThat(run(pay("key"), PAID))
        .isEqualTo(new Result.Replayed(Answer.failure(500, Body.EMPTY)));
  }

  @Test
  void an_answer_over_the_limit_is_given_whole_and_kept_as_a_digest() {
    Operation operation = pay("key", policy -> policy.maxStoredBody(3));
    Answer large = PAID.withHeaders(List.of(new Header("Location", "/payments/1")));
    assertThat(run(operation, large)).isEqualTo(new Result.Executed(large, true));
    Answer kept = ((Result.Replayed) run(operation, FAILED)).answer();
    assertThat(kept.code()).isEqualTo(201);
    assertThat(kept.headers()).isEqualTo(large.headers());
    Body.Digest digest = (Body.Digest) kept.body();
    assertThat(digest.size()).isEqualTo(4);
    assertThat(digest.sha256().toHex()).startsWith("268ad70eb5bc4737");
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void headers_over_the_limit_are_not_kept() {
    List<List<Header>> tooMuch =
        List.of(
            List.of(new Header("X", "x".repeat(70_000))),
            Collections.nCopies(65_536, new Header("X", "")));
    for (List<Header> headers : tooMuch) {
      Operation operation = pay("key " + headers.size());
      Answer bloated = PAID.withHeaders(headers);
      assertThat(run(operation, bloated)).isEqualTo(new Result.Executed(bloated, true));
      Answer kept = ((Result.Replayed) run(operation, FAILED)).answer();
      assertThat(kept.headers()).isEmpty();
      assertThat(kept.body()).isInstanceOf(Body.Digest.class);
    }
  }

  @Test
  void in_status_only_mode_the_outcome_and_the_code_are_kept() {
    Operation operation = pay("key", policy -> policy.keep(Keep.STATUS_ONLY));
    run(operation, PAID.withHeaders(List.of(new Header("Location", "/payments/1"))));
    assertThat(run(operation, FAILED))
        .isEqualTo(
            new Result.Replayed(new Answer(Outcome.SUCCESS, 201, List.of(), new Body.Omitted())));
  }

  @Test
  void an_asynchronous_handler_is_recorded_when_it_answers() {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    var result = once.runAsync(pay("key"), execution -> answer).toCompletableFuture();
    assertThat(result).isNotDone();
    answer.complete(PAID);
    assertThat(now(result)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(now(once.runAsync(pay("key"), execution -> answer)))
        .isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void an_asynchronous_handler_that_fails_fails_the_result_and_is_recorded() {
    IllegalStateException bug = new IllegalStateException();
    var result = once.runAsync(pay("key"), execution -> CompletableFuture.failedFuture(bug));
    assertThatThrownBy(() -> now(result)).isInstanceOf(CompletionException.class).hasCause(bug);
    assertThat(run(pay("key"), PAID)).isInstanceOf(Result.Replayed.class);
    var thrown =
        once.runAsync(
            pay("other"),
            execution -> {
              throw bug;
            });
    assertThatThrownBy(() -> now(thrown)).hasCause(bug);
    assertThat(run(pay("other"), PAID)).isInstanceOf(Result.Replayed.class);
  }

  @Test
  void a_handler_that_the_executor_rejects_did_not_run_and_frees_the_key() {
    Once busy =
        configured(
            builder ->
                builder.executor(
                    task -> {
                      throw new RejectedExecutionException("full");
                    }));
    var result = busy.runAsync(pay("key"), execution -> CompletableFuture.completedFuture(PAID));
    assertThatThrownBy(() -> now(result)).hasRootCauseMessage("full");
    assertThat(run(pay("key"), PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void an_answer_that_is_null_is_refused_and_the_execution_can_still_end() {
    Execution execution = proceed(pay("key"));
    assertThatThrownBy(() -> execution.complete(null)).hasMessageStartingWith("answer: null");
    assertThat(now(execution.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
    Once odd = configured(builder -> builder.failureAnswer(cause -> null));
    IllegalStateException bug = new IllegalStateException();
    assertThatThrownBy(
            () ->
                odd.run(
                    pay("other"),
                    execution2 -> {
                      throw bug;
                    }))
        .isSameAs(bug);
    assertThat(run(pay("other"), PAID))
        .isEqualTo(new Result.Replayed(Answer.failure(500, Body.EMPTY)));
  }
}
