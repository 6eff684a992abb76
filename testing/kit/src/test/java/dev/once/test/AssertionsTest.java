package dev.once.test;

import static dev.once.test.OnceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.Fingerprint;
import dev.once.core.Key;
import dev.once.core.NotRunException;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@OnceTest
@DisplayNameGeneration(ReplaceUnderscores.class)
class AssertionsTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));
  private static final Operation PAY = pay(Scope.GLOBAL, "key", "10", Policy.DEFAULT);

  private static Operation pay(Scope scope, String key, String amount, Policy policy) {
    return Operation.of(scope, Key.of(key), Fingerprint.of("pay", amount), policy);
  }

  private static Result run(Once once, Operation operation) throws Exception {
    return once.run(operation, execution -> PAID);
  }

  private static Execution begin(Once once, Operation operation) {
    return ((Begun.Proceed) once.begin(operation).toCompletableFuture().join()).execution();
  }

  @Test
  void a_request_and_its_retries_are_told_apart(Once once) throws Exception {
    assertThat(run(once, PAY)).wasExecuted().hasAnswer(201, "paid");
    assertThat(run(once, PAY)).wasReplayed().hasAnswer(201, "paid");
    assertThat(run(once, PAY)).wasReplayed();
    assertThat(once)
        .operation("key")
        .wasExecutedOnce()
        .wasReplayed(2)
        .wasNotRefused()
        .hasAnswer(PAID)
        .hasAnswer(201, "paid");
  }

  @Test
  void a_failure_says_what_happened_instead_with_the_key_in_full(Once once, TestClock clock)
      throws Exception {
    run(once, PAY);
    run(once, PAY);
    clock.passes(Duration.ofHours(24));
    run(once, PAY);
    String told =
        """
            Expected operation "key" to have been executed once, but it was executed 2 times.
            What happened, until 2026-01-02T00:00:00Z:
              2026-01-01T00:00:00Z  began: attempt 1, fence 1
              2026-01-01T00:00:00Z  ended: SUCCESS 201 "paid", fence 1
              2026-01-01T00:00:00Z  replayed: SUCCESS 201 "paid"
              2026-01-02T00:00:00Z  began: attempt 1, fence 2
              2026-01-02T00:00:00Z  ended: SUCCESS 201 "paid", fence 2""";
    assertThatThrownBy(() -> assertThat(once).operation("key").wasExecutedOnce())
        .isInstanceOf(AssertionError.class)
        .hasMessage(told.replace("\n", System.lineSeparator()));
    assertThat(Files.readString(Path.of("../../docs/testing.md")))
        .contains("```\n" + told + "\n```");
  }

  @Test
  void a_key_that_nobody_used_is_said_to_be_so_with_those_that_were(Once once) throws Exception {
    assertThat(once).hasNoOperations().operation("kez").wasNotExecuted().isNew();
    run(once, PAY);
    assertThatThrownBy(() -> assertThat(once).operation("kez").wasExecutedOnce())
        .hasMessageContainingAll(
            "\"kez\" to have been executed once, but it was executed never", "used: \"key\"");
    assertThatThrownBy(() -> assertThat(once).hasNoOperations())
        .hasMessage("Expected no operation, but there were: \"key\"");
  }

  @Test
  void each_assertion_fails_when_what_it_says_is_not_so(Once once) throws Exception {
    run(once, PAY);
    OperationAssert operation = assertThat(once).operation("key");
    fails(() -> operation.wasNotExecuted(), "was executed once");
    fails(() -> operation.wasReplayed(1), "was replayed never");
    fails(() -> operation.wasRefused(Reason.BUSY), "refused as BUSY, but it was not");
    fails(() -> operation.hasAnswer(201, "other"), "\"other\", but it has SUCCESS 201 \"paid\"");
    fails(() -> operation.hasAnswer(Answer.success(200, Body.EMPTY)), "but it has SUCCESS 201");
    fails(() -> operation.isNew(), "but it is DONE");
    fails(() -> operation.isUnanswered(), "but it is DONE");
    run(once, PAY);
    run(once, pay(Scope.GLOBAL, "key", "99", Policy.DEFAULT));
    fails(() -> assertThat(once).operation("key").wasNotReplayed(), "was replayed once");
    fails(() -> assertThat(once).operation("key").wasNotRefused(), "refused as [MISMATCH]");
    fails(() -> assertThat(once).operation("key").wasRefused(Reason.MISMATCH, 2), "2 times");
    fails(() -> assertThat(run(once, PAY)).wasExecuted(), "replayed, with SUCCESS 201 \"paid\"");
    fails(() -> assertThat(run(once, PAY)).wasRefused(Reason.BUSY), "refused as BUSY, but it was");
    fails(() -> assertThat(run(once, PAY)).hasAnswer(500, ""), "answered with 500 \"\"");
    Operation next = pay(Scope.GLOBAL, "next", "10", Policy.DEFAULT);
    fails(() -> assertThat(run(once, next)).wasReplayed(), "was executed, with SUCCESS");
  }

  private static void fails(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable assertion, String saying) {
    assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContaining(saying);
  }

  @Test
  void an_operation_that_still_runs_was_not_executed_once_yet(Once once) {
    Execution execution = begin(once, PAY);
    assertThat(once).operation("key").wasExecuted(1).isUnanswered();
    assertThatThrownBy(() -> assertThat(once).operation("key").wasExecutedOnce())
        .hasMessageContaining("to have ended, but it has not");
    execution.complete(PAID);
    assertThat(once).operation("key").wasExecutedOnce();
  }

  @Test
  void refusals_are_told_by_their_reason(Once once, RecordingStore store) throws Exception {
    store.goDown();
    assertThat(run(once, PAY)).wasRefused(Reason.STORE_DOWN);
    store.comeBack();
    Execution execution = begin(once, PAY);
    assertThat(run(once, PAY)).wasRefused(Reason.BUSY);
    assertThat(run(once, PAY)).wasRefused(Reason.BUSY);
    assertThat(run(once, pay(Scope.GLOBAL, "key", "99", Policy.DEFAULT)))
        .wasRefused(Reason.MISMATCH);
    execution.complete(PAID);
    assertThat(once)
        .operation("key")
        .wasExecutedOnce()
        .wasRefused(Reason.STORE_DOWN, 1)
        .wasRefused(Reason.BUSY, 2)
        .wasRefused(Reason.MISMATCH);
  }

  @Test
  void a_duplicate_that_waited_for_another_process_is_one_request(Once once, RecordingStore store)
      throws Exception {
    Operation waits =
        pay(Scope.GLOBAL, "key", "10", Policy.DEFAULT.with(p -> p.onBusy(OnBusy.WAIT)));
    try (Once other = store.once()) {
      Execution first = begin(other, waits);
      var second = once.begin(waits).toCompletableFuture();
      assertThat(second).isNotDone();
      first.complete(PAID);
      assertThat(second.join()).isEqualTo(new Begun.Replay(PAID));
      assertThat(once).operation("key").wasExecutedOnce().wasReplayed(1).wasNotRefused();
    }
  }

  @Test
  void after_a_crash_the_policy_decides_and_the_late_owner_records_nothing(
      Once once, TestClock clock, RecordingStore store) throws Exception {
    Operation again =
        pay(Scope.GLOBAL, "key", "10", Policy.DEFAULT.with(p -> p.onCrash(OnCrash.RUN_AGAIN)));
    Execution crashed = begin(once, again);
    store.crash();
    assertThat(run(once, again)).wasRefused(Reason.BUSY);
    clock.passes(Policy.DEFAULT.lease());
    assertThat(run(once, again)).wasExecuted();
    assertThat(crashed.complete(Answer.success(200, Body.EMPTY)).toCompletableFuture().join())
        .wasRefused(Reason.OWNERSHIP_LOST);
    assertThat(once).operation("key").wasExecuted(2).hasAnswer(PAID);
    assertThat(store.histories("key").get(0).toString())
        .contains("crashed: fence 1", "began: attempt 2, fence 2", "came late: not recorded");
  }

  @Test
  void what_ended_before_the_crash_stays(Once once, RecordingStore store) throws Exception {
    run(once, PAY);
    store.crash();
    assertThat(run(once, PAY)).wasReplayed();
    assertThat(once).operation("key").wasExecutedOnce();
  }

  @Test
  void an_operation_that_was_released_is_new(Once once, RecordingStore store) throws Exception {
    assertThatThrownBy(
            () ->
                once.run(
                    PAY,
                    execution -> {
                      throw new NotRunException("no connection");
                    }))
        .isInstanceOf(NotRunException.class);
    assertThat(once).operation("key").isNew().wasExecutedOnce();
    begin(once, PAY);
    store.inspection().forceRelease(PAY.id(), new Fence(2));
    assertThat(once).operation("key").isNew().wasExecuted(2);
    assertThatThrownBy(() -> assertThat(once).operation("key").hasAnswer(PAID))
        .hasMessageContainingAll("but it has none.", "released: nothing recorded, fence 2");
  }

  @Test
  void a_key_of_several_scopes_must_be_told_apart(Once once) throws Exception {
    Scope alice = new Scope("acme", "alice", "");
    run(once, pay(alice, "key", "10", Policy.DEFAULT));
    assertThat(once).operation("key").wasExecutedOnce();
    run(once, pay(new Scope("acme", "bob", ""), "key", "10", Policy.DEFAULT));
    assertThat(once).operation(alice, "key").wasExecutedOnce();
    assertThatThrownBy(() -> assertThat(once).operation("key"))
        .hasMessageContainingAll("used in 2 scopes", "user \"bob\"", "operation(scope, key)");
    assertThatThrownBy(() -> assertThat(once).operation(alice, "key").wasReplayed(1))
        .hasMessageContaining("\"key\" of tenant \"acme\", user \"alice\", route \"\"");
  }

  @Test
  void an_engine_made_elsewhere_is_asserted_by_its_store(RecordingStore store) throws Exception {
    try (Once elsewhere = Once.builder(store).scheduler(store.clock()).build()) {
      run(elsewhere, PAY);
      assertThatThrownBy(() -> assertThat(elsewhere)).hasMessageContaining("assertThat(store)");
      assertThatCode(() -> assertThat(store).operation("key").wasExecutedOnce())
          .doesNotThrowAnyException();
    }
  }
}
