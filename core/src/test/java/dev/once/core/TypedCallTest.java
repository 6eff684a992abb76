package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.Keep;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.OperationRecord.Status;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Calls with a type of one's own. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TypedCallTest extends EngineFixture {

  record Receipt(int number) {}

  /** Takes positive numbers only. */
  private static final Codec<Receipt> RECEIPTS =
      new Codec<>() {
        @Override
        public byte[] encode(Receipt value) {
          if (value.number() < 0) {
            throw new IllegalArgumentException("number: " + value.number() + " (expected: >= 0)");
          }
          return Codec.text().encode(Integer.toString(value.number()));
        }

        @Override
        public Receipt decode(byte[] bytes) {
          return new Receipt(Integer.parseInt(Codec.text().decode(bytes)));
        }
      };

  private Receipt charge() {
    return new Receipt(++runs);
  }

  private Receipt call(Operation operation) throws Exception {
    return once.call(operation, RECEIPTS, this::charge);
  }

  @Test
  void the_first_call_gives_the_value_itself() throws Exception {
    Receipt receipt = new Receipt(7);
    assertThat(once.call(pay("key"), RECEIPTS, () -> receipt)).isSameAs(receipt);
  }

  @Test
  void a_retry_gives_the_recorded_value_without_a_run() throws Exception {
    Receipt first = call(pay("key"));
    assertThat(call(pay("key"))).isEqualTo(first).isNotSameAs(first);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void the_function_may_ask_about_its_execution() throws Exception {
    Operation operation = pay("key");
    assertThat(once.call(operation, Codec.text(), execution -> "attempt " + execution.attempt()))
        .isEqualTo("attempt 1");
  }

  @Test
  void text_and_bytes_come_back_as_they_were() throws Exception {
    byte[] bytes = {0, -1, 7};
    for (int i = 0; i < 2; i++) {
      assertThat(once.call(pay("text"), Codec.text(), () -> "añ€😀")).isEqualTo("añ€😀");
      assertThat(once.call(pay("bytes"), Codec.bytes(), () -> bytes)).containsExactly(0, -1, 7);
    }
  }

  @Test
  void bytes_that_are_changed_after_the_call_are_replayed_as_they_were() throws Exception {
    byte[] bytes = {1};
    once.call(pay("key"), Codec.bytes(), () -> bytes);
    bytes[0] = 2;
    assertThat(once.call(pay("key"), Codec.bytes(), () -> bytes)).containsExactly(1);
  }

  @Test
  void what_returns_nothing_runs_once() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(once.call(pay("key"), Codec.none(), this::nothing)).isNull();
    }
    assertThat(runs).isEqualTo(1);
  }

  private Void nothing() {
    runs++;
    return null;
  }

  @Test
  void what_returns_nothing_is_replayed_where_the_policy_keeps_no_body() throws Exception {
    Operation operation = pay("key", policy -> policy.keep(Keep.STATUS_ONLY));
    for (int i = 0; i < 2; i++) {
      assertThat(once.call(operation, Codec.none(), this::nothing)).isNull();
    }
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void another_request_with_the_same_key_is_refused_and_the_message_masks_the_key()
      throws Exception {
    call(request("order-0001-of-alice", "pay 10", policy -> policy));
    assertThatThrownBy(() -> call(request("order-0001-of-alice", "pay 99", policy -> policy)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> {
              assertThat(refused.refusal().reason()).isEqualTo(Reason.MISMATCH);
              assertThat(refused.hasRun()).isFalse();
              assertThat(refused.unrecordedValue()).isNull();
              assertThat(refused.isNotNow()).isFalse();
            })
        .hasMessageMatching("orde\\*{4}lice#[0-9a-f]{6} of tenant/user: MISMATCH, .*")
        .hasMessageNotContaining("0001");
  }

  @Test
  void a_call_while_the_first_one_runs_is_refused_for_now() {
    proceed(pay("key"));
    assertThatThrownBy(() -> call(pay("key")))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.isNotNow()).isTrue());
    assertThat(runs).isZero();
  }

  @Test
  void what_the_callable_throws_reaches_the_caller_as_it_is() {
    IOException thrown = new IOException("a test");
    assertThatThrownBy(() -> once.call(pay("key"), RECEIPTS, () -> failing(thrown)))
        .isSameAs(thrown);
  }

  private Receipt failing(Exception thrown) throws Exception {
    runs++;
    throw thrown;
  }

  @Test
  void a_retry_of_a_failed_call_is_told_of_the_earlier_failure() {
    assertThatThrownBy(() -> once.call(pay("key"), RECEIPTS, () -> failing(new IOException())))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> call(pay("key")))
        .isInstanceOfSatisfying(
            EarlierFailureException.class, e -> assertThat(e.answer().code()).isEqualTo(500))
        .hasMessageContaining("failed with IOException")
        .hasMessageContaining("onFailure=RELEASE");
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void a_retry_of_a_rejected_run_is_told_of_the_earlier_rejection() {
    run(pay("key"), REJECTED);
    assertThatThrownBy(() -> call(pay("key")))
        .isInstanceOf(EarlierFailureException.class)
        .hasMessageContaining("was rejected with no such card")
        .hasMessageContaining("onRejection=RELEASE");
  }

  @Test
  void a_failed_call_that_the_policy_releases_runs_again() throws Exception {
    Operation operation = pay("key", policy -> policy.onFailure(OnEnd.RELEASE));
    assertThatThrownBy(() -> once.call(operation, RECEIPTS, () -> failing(new IOException())))
        .isInstanceOf(IOException.class);
    assertThat(call(operation)).isEqualTo(new Receipt(2));
  }

  @Test
  void a_value_that_was_too_large_to_keep_is_given_once_and_not_run_again() throws Exception {
    Operation operation = pay("key", policy -> policy.maxStoredBody(3));
    assertThat(once.call(operation, Codec.text(), () -> "1234")).isEqualTo("1234");
    assertThatThrownBy(() -> once.call(operation, Codec.text(), () -> "again"))
        .isInstanceOf(NotReplayableException.class)
        .hasMessageContaining("it ran, but its result was too large to keep: 4 bytes")
        .hasMessageContaining("maxStoredBody");
  }

  @Test
  void a_value_that_the_policy_does_not_keep_is_given_once_and_not_run_again() throws Exception {
    Operation operation = pay("key", policy -> policy.keep(Keep.STATUS_ONLY));
    call(operation);
    assertThatThrownBy(() -> call(operation))
        .isInstanceOf(NotReplayableException.class)
        .hasMessageContaining("keep=ANSWER");
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void a_recorded_value_that_the_codec_cannot_read_is_not_run_again() {
    run(pay("key"), PAID);
    assertThatThrownBy(() -> call(pay("key")))
        .isInstanceOf(NotReplayableException.class)
        .hasCauseInstanceOf(NumberFormatException.class);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void a_value_that_cannot_be_encoded_is_told_to_the_caller_who_ran_it() {
    assertThatThrownBy(() -> once.call(pay("key"), RECEIPTS, () -> new Receipt(-1)))
        .isInstanceOfSatisfying(RefusedException.class, TypedCallTest::assertNotEncoded)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  private static void assertNotEncoded(RefusedException refused) {
    assertThat(refused.refusal().reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(refused.hasRun()).isTrue();
    assertThat(refused.unrecordedValue()).isEqualTo(new Receipt(-1));
  }

  @Test
  void a_value_that_cannot_be_encoded_is_left_to_the_crash_policy() throws Exception {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    assertThatThrownBy(() -> once.call(operation, RECEIPTS, () -> new Receipt(-1)))
        .isInstanceOf(RefusedException.class);
    assertThat(record(operation).orElseThrow().status()).isEqualTo(Status.PROCESSING);
    time.passes(LEASE);
    assertThat(call(operation)).isEqualTo(new Receipt(1));
  }

  @Test
  void a_null_that_the_codec_does_not_take_is_a_value_that_cannot_be_encoded() {
    assertThatThrownBy(() -> once.call(pay("key"), Codec.text(), () -> null))
        .isInstanceOf(RefusedException.class)
        .hasRootCauseMessage("value: null (expected: a value; Codec.none() for none)");
  }

  @Test
  void a_value_that_could_not_be_recorded_is_in_the_refusal() {
    Operation operation = pay("key", policy -> policy.onCrash(OnCrash.RUN_AGAIN));
    Once other = engine();
    assertThatThrownBy(
            () ->
                once.call(
                    operation,
                    RECEIPTS,
                    () -> {
                      loseLease();
                      run(other, operation, PAID);
                      return new Receipt(9);
                    }))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> {
              assertThat(refused.refusal().reason()).isEqualTo(Reason.OWNERSHIP_LOST);
              assertThat(refused.unrecordedValue()).isEqualTo(new Receipt(9));
            });
    other.close();
  }

  /** The store cannot be reached for so long that the lease is over. */
  private void loseLease() {
    store.down(true);
    time.passes(LEASE);
    store.down(false);
  }

  @Test
  void a_stage_is_recorded_and_its_value_given_again() {
    for (int i = 0; i < 2; i++) {
      assertThat(now(callAsync(CompletableFuture.completedFuture(new Receipt(1)))))
          .isEqualTo(new Receipt(1));
    }
    assertThat(runs).isEqualTo(1);
  }

  private CompletionStage<Receipt> callAsync(CompletionStage<Receipt> stage) {
    return once.callAsync(
        pay("key"),
        RECEIPTS,
        execution -> {
          runs++;
          return stage;
        });
  }

  @Test
  void what_a_stage_fails_with_reaches_the_caller_and_a_retry_is_told_of_it() {
    IOException thrown = new IOException("a test");
    assertThatThrownBy(() -> now(callAsync(CompletableFuture.failedFuture(thrown))))
        .hasCause(thrown);
    assertThatThrownBy(() -> now(callAsync(CompletableFuture.failedFuture(thrown))))
        .hasCauseInstanceOf(EarlierFailureException.class);
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void a_stage_is_refused_while_the_first_one_runs() {
    CompletableFuture<Receipt> first = new CompletableFuture<>();
    CompletionStage<Receipt> running = callAsync(first);
    assertThatThrownBy(() -> now(callAsync(first))).hasCauseInstanceOf(RefusedException.class);
    first.complete(new Receipt(5));
    assertThat(now(running)).isEqualTo(new Receipt(5));
  }

  @Test
  void a_stage_whose_value_cannot_be_encoded_is_told_to_the_caller_who_ran_it() {
    assertThatThrownBy(() -> now(callAsync(CompletableFuture.completedFuture(new Receipt(-1)))))
        .cause()
        .isInstanceOfSatisfying(RefusedException.class, TypedCallTest::assertNotEncoded);
    assertThat(record(pay("key")).orElseThrow().status()).isEqualTo(Status.PROCESSING);
  }

  @Test
  void there_is_no_call_without_a_codec() {
    assertThatThrownBy(() -> once.call(pay("key"), null, this::charge))
        .hasMessage("codec: null (expected: a Codec)");
    assertThat(record(pay("key"))).isEmpty();
  }
}
