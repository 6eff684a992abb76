package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnCrash;
import dev.once.core.Policy.OnEnd;
import dev.once.core.Policy.OnStoreDown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OnceListenerTest extends EngineFixture {

  private final List<String> told = new ArrayList<>();
  private final List<String> steps = new ArrayList<>();
  private final Once listened = configured(builder -> builder.listener(new Written()));
  private final Operation payment = pay("k");

  @Test
  void a_first_run_and_its_replay() throws Exception {
    run(listened, payment, PAID);
    run(listened, payment, PAID);
    assertThat(told).containsExactly("begun", "ended Executed", "replayed 201");
  }

  @Test
  void an_answer_that_the_policy_does_not_keep_ends_once() {
    run(listened, pay("k", p -> p.onRejection(OnEnd.RELEASE)), REJECTED);
    assertThat(told).containsExactly("begun", "ended Executed");
  }

  @Test
  void refusals() {
    Execution first = proceed(listened, payment);
    listened.begin(payment);
    listened.begin(request("k", "pay 99", p -> p));
    first.abandon();
    assertThat(told).containsExactly("begun", "refused BUSY", "refused MISMATCH", "abandoned");
  }

  @Test
  void what_a_handler_throws() {
    assertThatThrownBy(
        () ->
            listened.run(
                pay("a"),
                execution -> {
                  throw new IllegalStateException("no bank");
                }));
    assertThatThrownBy(
        () ->
            listened.run(
                pay("b"),
                execution -> {
                  throw new NotRunException("closed");
                }));
    assertThatThrownBy(
        () ->
            listened.run(
                pay("c"),
                execution -> {
                  throw new StackOverflowError();
                }));
    assertThat(told)
        .containsExactly("begun", "ended Executed", "begun", "released", "begun", "abandoned");
  }

  @Test
  void the_end_is_told_before_whoever_ends_it_is() {
    Execution execution = proceed(listened, payment);
    store.down(true);
    CompletableFuture<Result> end = execution.complete(PAID).toCompletableFuture();
    end.thenAccept(result -> told.add("caller"));
    store.down(false);
    time.passes(Duration.ofSeconds(1));
    assertThat(told).containsExactly("begun", "ended Executed", "caller");
  }

  @Test
  void an_answer_that_could_not_be_recorded_ends_once_also_if_it_is_recorded_later() {
    Execution execution = proceed(listened, payment);
    store.down(true);
    CompletableFuture<Result> end = execution.complete(PAID).toCompletableFuture();
    time.passes(Duration.ofMinutes(1));
    assertThat(reason(now(end))).isEqualTo(Refusal.Reason.OUTCOME_UNKNOWN);
    store.down(false);
    time.passes(Duration.ofMinutes(1));
    assertThat(record(payment)).isPresent();
    assertThat(told).containsExactly("begun", "ended OUTCOME_UNKNOWN");
  }

  @Test
  void a_lease_that_is_renewed_and_one_that_is_lost() {
    Execution execution = proceed(listened, payment);
    time.passes(LEASE);
    assertThat(told).startsWith("begun", "renewed");
    told.clear();
    now(memory.forceRelease(payment.id(), execution.fence().orElseThrow()));
    time.passes(LEASE);
    now(execution.complete(PAID));
    assertThat(told).containsExactly("lost", "ended OWNERSHIP_LOST");
  }

  @Test
  void a_takeover_is_a_run_like_any_other() {
    Operation again = pay("k", p -> p.onCrash(OnCrash.RUN_AGAIN));
    crashedOwner(again);
    run(listened, again, PAID);
    assertThat(told).containsExactly("begun", "ended Executed");
  }

  @Test
  void a_store_that_is_down() {
    store.down(true);
    listened.begin(payment);
    time.passes(Duration.ofSeconds(1));
    CompletableFuture<Begun> unprotected =
        listened.begin(pay("k2", p -> p.onStoreDown(OnStoreDown.GO_ON))).toCompletableFuture();
    time.passes(Duration.ofSeconds(1));
    now(((Begun.Proceed) now(unprotected)).execution().complete(PAID));
    assertThat(told).containsExactly("refused STORE_DOWN", "begun", "ended Executed");
    assertThat(steps).contains("CLAIM failed");
  }

  @Test
  void each_step_of_the_store() {
    run(listened, payment, PAID);
    now(proceed(listened, pay("other")).release());
    assertThat(steps).containsExactly("CLAIM", "COMPLETE", "CLAIM", "RELEASE");
  }

  @Test
  void what_was_purged() {
    Once purging =
        configured(builder -> builder.listener(new Written()).purgeInterval(Duration.ofMinutes(1)));
    run(purging, pay("k", p -> p.retention(Duration.ofSeconds(1))), PAID);
    time.passes(Duration.ofMinutes(2));
    assertThat(told).contains("purged 1");
    purging.close();
  }

  @Test
  void a_listener_that_throws_changes_nothing_and_the_others_hear() {
    Once careful =
        configured(
            builder ->
                builder
                    .listener(
                        new OnceListener() {
                          @Override
                          public void begun(Execution execution) {
                            throw new IllegalStateException("broken");
                          }

                          @Override
                          public void ended(Execution execution, Result result) {
                            throw new StackOverflowError();
                          }
                        })
                    .listener(new Written()));
    assertThat(run(careful, payment, PAID)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(told).containsExactly("begun", "ended Executed");
  }

  @Test
  void an_operation_says_by_which_way_it_came() {
    assertThat(payment.origin()).isEqualTo(Origin.CALL);
    Origin origin = new Origin("gateway", "/payments/*", "POST /payments/7");
    assertThat(payment.from(origin).origin()).isEqualTo(origin);
    assertThat(payment.from(origin).id()).isEqualTo(payment.id());
  }

  private final class Written implements OnceListener {
    @Override
    public void begun(Execution execution) {
      told.add("begun");
    }

    @Override
    public void replayed(Operation operation, Answer answer) {
      told.add("replayed " + answer.code());
    }

    @Override
    public void refused(Operation operation, Refusal refusal) {
      told.add("refused " + refusal.reason());
    }

    @Override
    public void ended(Execution execution, Result result) {
      told.add(
          result instanceof Result.Refused refused
              ? "ended " + refused.refusal().reason()
              : "ended Executed");
    }

    @Override
    public void released(Execution execution) {
      told.add("released");
    }

    @Override
    public void abandoned(Execution execution) {
      told.add("abandoned");
    }

    @Override
    public void renewed(Execution execution) {
      told.add("renewed");
    }

    @Override
    public void lost(Execution execution) {
      told.add("lost");
    }

    @Override
    public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
      steps.add(step + (failure == null ? "" : " failed"));
    }

    @Override
    public void purged(int records) {
      told.add("purged " + records);
    }
  }
}
