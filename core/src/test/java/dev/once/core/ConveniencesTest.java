package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.Keep;
import dev.once.core.Refusal.Reason;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The short forms say the same as the long ones. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConveniencesTest extends EngineFixture {

  private static final Scope ALICE = Scope.of("acme", "alice");

  @Test
  void an_operation_of_texts_is_the_operation_of_their_types() {
    assertThat(Operation.of(ALICE, "key", "POST", "/payments", "{}"))
        .isEqualTo(
            Operation.of(
                new Scope("acme", "alice", ""),
                Key.of("key"),
                Fingerprint.of("POST", "/payments", "{}"),
                Policy.DEFAULT));
  }

  @Test
  void an_operation_under_another_policy_is_the_same_operation() {
    Operation operation = Operation.of(ALICE, "key", "pay 10");
    Policy policy = Policy.DEFAULT.with(changes -> changes.retention(Duration.ofDays(3)));
    assertThat(operation.under(policy).policy()).isEqualTo(policy);
    assertThat(operation.under(policy).under(operation.policy())).isEqualTo(operation);
  }

  @Test
  void the_same_key_of_two_tenants_is_two_operations() {
    Operation acme = Operation.of(Scope.of("acme", "alice"), "key", "pay 10");
    Operation other = Operation.of(Scope.of("other", "alice"), "key", "pay 10");
    assertThat(run(acme, PAID)).isInstanceOf(Result.Executed.class);
    assertThat(run(other, PAID)).isInstanceOf(Result.Executed.class);
  }

  @Test
  void a_result_gives_its_answer_whether_it_ran_or_was_replayed() {
    assertThat(run(pay("key"), PAID).orElseThrow()).isEqualTo(PAID);
    assertThat(run(pay("key"), FAILED).orElseThrow()).isEqualTo(PAID);
  }

  @Test
  void a_refused_result_throws_its_refusal() {
    proceed(pay("key"));
    Result refused = run(pay("key"), PAID);
    assertThatThrownBy(refused::orElseThrow)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> {
              assertThat(e.refusal().reason()).isEqualTo(Reason.BUSY);
              assertThat(e.hasRun()).isFalse();
            });
  }

  @Test
  void a_refused_result_that_ran_throws_with_its_answer() {
    Refusal lost = new Refusal(Reason.OWNERSHIP_LOST, "another owner", null);
    assertThatThrownBy(() -> new Result.Refused(lost, PAID).orElseThrow())
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.unrecordedValue()).isEqualTo(PAID));
  }

  @Test
  void a_body_of_bytes_is_a_copy() {
    byte[] bytes = {65};
    Body body = Body.of(bytes);
    bytes[0] = 66;
    assertThat(body.text()).isEqualTo("A");
    assertThat(body).isEqualTo(Body.of("A"));
  }

  @Test
  void a_body_that_was_not_kept_has_no_text() {
    Operation operation = pay("key", policy -> policy.keep(Keep.STATUS_ONLY));
    run(operation, PAID);
    Body replayed = run(operation, PAID).orElseThrow().body();
    assertThatThrownBy(replayed::text)
        .isInstanceOf(NotReplayableException.class)
        .hasMessage(
            "body: it ran, but the policy keeps no results (expected: keep=ANSWER); it does not"
                + " run again");
  }
}
