package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.OperationRecord.Status;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a handler says by throwing. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ThrownTest extends EngineFixture {

  private final Operation payment = pay("key", policy -> policy.onFailure(OnEnd.RECORD));

  static Stream<Throwable> thatSayNothing() {
    return Stream.of(
        new InterruptedException(),
        new ClosedByInterruptException(),
        new OutOfMemoryError("a test"),
        new StackOverflowError(),
        new NoClassDefFoundError("a test"),
        new AssertionError("a test"),
        new IllegalStateException(new InterruptedException()),
        new IllegalStateException(new ExecutionException(new OutOfMemoryError("a test"))));
  }

  private void runThrowing(Operation operation, Throwable thrown) {
    assertThatThrownBy(
            () ->
                once.run(
                    operation,
                    execution -> {
                      throwAny(thrown);
                      return PAID;
                    }))
        .isSameAs(thrown);
  }

  private static void throwAny(Throwable thrown) throws Exception {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }

  @ParameterizedTest
  @MethodSource("thatSayNothing")
  void a_handler_that_broke_off_is_left_to_the_crash_policy(Throwable thrown) {
    runThrowing(payment, thrown);
    assertLeftAsCrashed();
  }

  @ParameterizedTest
  @MethodSource("thatSayNothing")
  void an_asynchronous_handler_that_broke_off_is_left_to_the_crash_policy(Throwable thrown) {
    var result = once.runAsync(payment, execution -> CompletableFuture.failedFuture(thrown));
    assertThatThrownBy(() -> now(result)).hasCause(thrown);
    assertLeftAsCrashed();
  }

  private void assertLeftAsCrashed() {
    assertThat(record(payment).orElseThrow().status()).isEqualTo(Status.PROCESSING);
    assertThat(reason(run(payment, PAID))).isEqualTo(Reason.BUSY);
    time.passes(LEASE);
    assertThat(reason(run(payment, PAID))).isEqualTo(Reason.OUTCOME_UNKNOWN);
  }

  @Test
  void a_handler_that_broke_off_runs_again_if_the_crash_policy_says_so() {
    Operation again = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    runThrowing(again, new InterruptedException());
    time.passes(LEASE);
    assertThat(run(again, PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void a_handler_that_broke_off_is_not_released_where_failures_are() {
    Operation released = pay("key", policy -> policy.onFailure(OnEnd.RELEASE));
    runThrowing(released, new OutOfMemoryError("a test"));
    assertThat(reason(run(released, PAID))).isEqualTo(Reason.BUSY);
  }

  @Test
  void whoever_ends_an_execution_that_broke_off_is_told_that_the_outcome_is_unknown() {
    Result result = now(proceed(payment).fail(new InterruptedException()));
    assertThat(reason(result)).isEqualTo(Reason.OUTCOME_UNKNOWN);
  }

  @Test
  void a_handler_that_says_inside_another_exception_that_it_did_nothing_frees_the_key() {
    NotRunException refused = new NotRunException("refused", new InterruptedException());
    runThrowing(payment, new IllegalStateException(refused));
    assertThat(run(payment, PAID)).isEqualTo(new Result.Executed(PAID, true));
  }

  @Test
  void causes_in_a_circle_are_a_failure_like_any_other() {
    IllegalStateException one = new IllegalStateException("one");
    one.initCause(new IllegalStateException("two", one));
    assertThat(Thrown.of(one)).isEqualTo(Thrown.FAILURE);
  }

  @Test
  void a_handler_or_an_operation_that_is_null_is_refused_before_anything_is_claimed() {
    assertThatThrownBy(() -> once.run(payment, null))
        .hasMessage("handler: null (expected: a handler)");
    assertThatThrownBy(() -> once.runAsync(payment, null))
        .hasMessage("handler: null (expected: a handler)");
    assertThatThrownBy(() -> once.run(null, execution -> PAID))
        .hasMessage("operation: null (expected: an Operation)");
    assertThatThrownBy(() -> once.begin(null))
        .hasMessage("operation: null (expected: an Operation)");
    assertThat(store.calls()).isEmpty();
  }
}
