package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Refusal.Reason;
import dev.once.core.spi.Delivery;
import dev.once.core.spi.Exchange;
import dev.once.core.spi.RolledBackException;
import dev.once.core.spi.ThreadBound;
import dev.once.core.store.OperationRecord;
import dev.once.core.store.OperationRecord.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ExchangeTest extends EngineFixture {

  private final Operation payment = pay("k");
  private boolean partlySent;

  private Exchange begun() {
    return new Exchange(proceed(payment), () -> partlySent);
  }

  private static Optional<Answer> pays() {
    return Optional.of(PAID);
  }

  private static Optional<Answer> fails() {
    return Optional.of(FAILED);
  }

  private static Reason reason(Delivery delivery) {
    return ((Delivery.Instead) delivery).refusal().reason();
  }

  private Optional<Status> status() {
    return record(payment).map(OperationRecord::status);
  }

  @Test
  void an_answer_is_recorded_and_then_sent() {
    assertThat(now(begun().answered(ExchangeTest::pays))).isEqualTo(Delivery.SEND);
    assertThat(status()).contains(Status.DONE);
    assertThat(now(once.begin(payment))).isEqualTo(new Begun.Replay(PAID));
  }

  @Test
  void before_the_store_says_that_it_is_recorded_nothing_is_delivered() {
    Exchange exchange = begun();
    store.down(true);
    CompletionStage<Delivery> delivery = exchange.answered(ExchangeTest::pays);
    assertThat(delivery.toCompletableFuture()).isNotDone();
    store.down(false);
    time.passes(Duration.ofSeconds(1));
    assertThat(now(delivery)).isEqualTo(Delivery.SEND);
    assertThat(status()).contains(Status.DONE);
  }

  @Test
  void an_answer_that_says_nothing_about_the_operation_frees_the_key_and_is_sent() {
    assertThat(now(begun().answered(Optional::empty))).isEqualTo(Delivery.SEND);
    assertThat(status()).isEmpty();
  }

  @Test
  void what_did_not_run_frees_the_key() {
    assertThat(now(begun().notRun())).isEqualTo(Delivery.SEND);
    assertThat(status()).isEmpty();
  }

  @Test
  void a_key_that_the_store_does_not_free_at_once_keeps_nobody_from_an_answer() {
    Exchange exchange = begun();
    store.down(true);
    CompletionStage<Delivery> delivery = exchange.notRun();
    time.passes(Duration.ofMinutes(1));
    assertThat(now(delivery)).isEqualTo(Delivery.SEND);
  }

  @Test
  void a_handler_that_throws_ends_with_the_surface_s_answer() {
    Delivery delivery =
        now(begun().failed(new IllegalStateException("no bank"), ExchangeTest::fails));
    assertThat(delivery).isEqualTo(Delivery.SEND);
    assertThat(status()).contains(Status.FAILED);
  }

  @Test
  void a_handler_that_says_that_it_did_nothing_frees_the_key() {
    Throwable thrown = new IllegalStateException(new NotRunException("closed"));
    assertThat(now(begun().failed(thrown, ExchangeTest::fails))).isEqualTo(Delivery.SEND);
    assertThat(status()).isEmpty();
  }

  @Test
  void one_that_says_so_in_the_middle_of_an_answer_is_cut_off() {
    Exchange exchange = begun();
    partlySent = true;
    assertThat(now(exchange.failed(new NotRunException("closed"), ExchangeTest::fails)))
        .isEqualTo(Delivery.ABORT);
    assertThat(status()).isEmpty();
  }

  @Test
  void after_an_error_nobody_knows_and_the_client_is_told_so() {
    Delivery delivery = now(begun().failed(new StackOverflowError(), ExchangeTest::fails));
    assertThat(reason(delivery)).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(status()).contains(Status.PROCESSING);
    time.passes(LEASE);
    assertThat(refusal(once.begin(payment)).reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
  }

  @Test
  void what_broke_off_keeps_the_key_and_the_client_is_told_so() {
    Delivery delivery = begun().outcomeUnknown(new IllegalStateException("cut off"));
    assertThat(reason(delivery)).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(status()).contains(Status.PROCESSING);
  }

  @Test
  void an_answer_that_cannot_be_recorded_for_what_it_is_keeps_the_key() {
    Delivery delivery =
        now(
            begun()
                .answered(
                    () -> {
                      throw new IllegalArgumentException("a line break");
                    }));
    assertThat(reason(delivery)).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(status()).contains(Status.PROCESSING);
  }

  @Test
  void an_error_while_the_answer_is_made_ends_the_execution_too() {
    Exchange exchange = begun();
    assertThatThrownBy(
            () ->
                exchange.answered(
                    () -> {
                      throw new StackOverflowError();
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(exchange.isOver()).isTrue();
    assertThatThrownBy(() -> exchange.execution().abandon())
        .isInstanceOf(ExecutionEndedException.class);
  }

  @Test
  void if_the_store_never_says_that_it_is_recorded_the_client_gets_nothing_of_it() {
    Exchange exchange = begun();
    store.down(true);
    CompletionStage<Delivery> delivery = exchange.answered(ExchangeTest::pays);
    time.passes(LEASE);
    assertThat(reason(now(delivery))).isEqualTo(Reason.OUTCOME_UNKNOWN);
  }

  @Test
  void a_late_owner_s_client_gets_nothing_of_its_answer() {
    Exchange exchange = begun();
    now(memory.forceRelease(payment.id(), exchange.execution().fence().orElseThrow()));
    assertThat(reason(now(exchange.answered(ExchangeTest::pays)))).isEqualTo(Reason.OWNERSHIP_LOST);
  }

  @Test
  void a_client_that_has_part_of_an_unrecorded_answer_is_cut_off() {
    Exchange exchange = begun();
    now(memory.forceRelease(payment.id(), exchange.execution().fence().orElseThrow()));
    partlySent = true;
    assertThat(now(exchange.answered(ExchangeTest::pays))).isEqualTo(Delivery.ABORT);
  }

  @Test
  void a_client_that_has_part_of_an_answer_that_broke_off_is_cut_off() {
    Exchange exchange = begun();
    partlySent = true;
    assertThat(exchange.outcomeUnknown(new IllegalStateException("cut off")))
        .isEqualTo(Delivery.ABORT);
  }

  @Test
  void a_client_that_has_part_of_another_answer_than_the_recorded_one_is_cut_off() {
    Exchange exchange = begun();
    partlySent = true;
    Delivery delivery =
        now(exchange.failed(new IllegalStateException("half-way"), ExchangeTest::fails));
    assertThat(delivery).isEqualTo(Delivery.ABORT);
    assertThat(status()).contains(Status.FAILED);
  }

  @Test
  void the_first_end_counts() {
    Exchange exchange = begun();
    assertThat(exchange.isOver()).isFalse();
    now(exchange.answered(ExchangeTest::pays));
    assertThat(exchange.isOver()).isTrue();
    assertThat(now(exchange.answered(ExchangeTest::fails))).isEqualTo(Delivery.ALREADY_ENDED);
    assertThat(now(exchange.notRun())).isEqualTo(Delivery.ALREADY_ENDED);
    assertThat(now(exchange.failed(new StackOverflowError(), ExchangeTest::fails)))
        .isEqualTo(Delivery.ALREADY_ENDED);
    assertThat(exchange.outcomeUnknown(new StackOverflowError())).isEqualTo(Delivery.ALREADY_ENDED);
    assertThat(now(once.begin(payment))).isEqualTo(new Begun.Replay(PAID));
  }

  @Test
  void what_could_not_be_begun_is_refused_as_a_store_that_is_down_and_the_listener_is_told() {
    List<Refusal> told = new ArrayList<>();
    OnceListener listener =
        new OnceListener() {
          @Override
          public void refused(Operation operation, Refusal refusal) {
            told.add(refusal);
          }
        };
    Begun begun = Exchange.notBegun(listener, payment, new IllegalStateException("closed"));
    assertThat(((Begun.Refuse) begun).refusal().reason()).isEqualTo(Reason.STORE_DOWN);
    assertThat(told).containsExactly(((Begun.Refuse) begun).refusal());
    Exchange.notBegun(listener, null, new StackOverflowError());
    assertThat(told).hasSize(1);
  }

  @Test
  void under_a_lease_the_answer_may_come_later_from_another_thread() {
    Exchange exchange = begun();
    assertThat(exchange.mayAnswerLater()).isTrue();
    assertThat(exchange.leaveThread(true)).isTrue();
    assertThat(now(exchange.answered(ExchangeTest::pays))).isEqualTo(Delivery.SEND);
  }

  @Test
  void a_handler_that_ended_its_execution_itself_and_then_throws_an_error_changes_nothing() {
    Exchange exchange = begun();
    now(exchange.execution().complete(PAID));
    Delivery delivery = now(exchange.failed(new StackOverflowError(), ExchangeTest::fails));
    assertThat(reason(delivery)).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(status()).contains(Status.DONE);
  }

  @Test
  void what_cannot_be_recorded_for_an_exception_that_nobody_declared_is_abandoned() {
    Exchange exchange = begun();
    Delivery delivery =
        now(
            exchange.answered(
                () -> {
                  ExchangeTest.<RuntimeException>throwUndeclared(new IOException("undeclared"));
                  return pays();
                }));
    assertThat(reason(delivery)).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThatThrownBy(() -> exchange.execution().release())
        .isInstanceOf(ExecutionEndedException.class);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @Test
  void what_belongs_to_a_thread_leaves_it_and_answers_later() {
    OnThread execution = new OnThread(payment);
    Exchange exchange = new Exchange(execution, () -> false);
    assertThat(exchange.mayAnswerLater()).isFalse();
    assertThat(exchange.leaveThread(false)).isTrue();
    assertThat(execution.left).isTrue();
    assertThat(exchange.isOver()).isFalse();
  }

  @Test
  void what_belongs_to_a_thread_and_failed_is_undone_before_it_leaves() {
    OnThread execution = new OnThread(payment);
    Exchange exchange = new Exchange(execution, () -> false);
    assertThat(exchange.leaveThread(true)).isFalse();
    assertThat(execution.released).isTrue();
    assertThat(exchange.isOver()).isTrue();
  }

  @Test
  void what_was_undone_by_the_handler_s_fault_is_a_failure_of_the_handler() {
    RuntimeException broken = new IllegalStateException("a constraint");
    OnThread execution = new OnThread(payment);
    execution.end = CompletableFuture.failedFuture(new RolledBackException(broken));
    assertThat(now(new Exchange(execution, () -> false).answered(ExchangeTest::pays)))
        .isEqualTo(new Delivery.Failed(broken));
    OnThread streamed = new OnThread(payment);
    streamed.end = execution.end.thenApply(any -> any);
    assertThat(now(new Exchange(streamed, () -> true).answered(ExchangeTest::pays)))
        .isEqualTo(Delivery.ABORT);
  }

  @Test
  void an_execution_that_breaks_its_promise_leaves_no_client_waiting() {
    OnThread execution = new OnThread(payment);
    execution.end = CompletableFuture.failedFuture(new IllegalStateException("broken"));
    assertThat(reason(now(new Exchange(execution, () -> false).answered(ExchangeTest::pays))))
        .isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(now(new Exchange(execution, () -> false).notRun())).isEqualTo(Delivery.SEND);
  }

  /** Ends as a test says. */
  private static final class OnThread implements ThreadBound {
    private final Operation operation;
    private CompletableFuture<Result> end = new CompletableFuture<>();
    private boolean left;
    private boolean released;

    OnThread(Operation operation) {
      this.operation = operation;
    }

    @Override
    public Operation operation() {
      return operation;
    }

    @Override
    public boolean isProtected() {
      return true;
    }

    @Override
    public Optional<Fence> fence() {
      return Optional.empty();
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public CompletionStage<Void> lost() {
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Result> complete(Answer answer) {
      return end;
    }

    @Override
    public CompletionStage<Result> fail(Throwable cause) {
      return end;
    }

    @Override
    public CompletionStage<Boolean> release() {
      released = true;
      return end.thenApply(any -> true);
    }

    @Override
    public void abandon() {}

    @Override
    public void leaveThread() {
      left = true;
    }
  }
}
