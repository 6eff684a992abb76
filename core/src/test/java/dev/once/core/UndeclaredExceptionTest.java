package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Checked exceptions that nobody declared: every class of Kotlin, Groovy or Scala throws them, and
 * so does Java with Lombok.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UndeclaredExceptionTest extends EngineFixture {

  private final List<String> told = new ArrayList<>();
  private final Operation payment = pay("k");

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwUndeclared(Throwable checked) throws E {
    throw (E) checked;
  }

  private static void fail() {
    UndeclaredExceptionTest.<RuntimeException>throwUndeclared(new IOException("undeclared"));
  }

  /** An engine with this listener, and after it one that writes down what it is told. */
  private Once with(OnceListener throwing) {
    return configured(builder -> builder.listener(throwing).listener(new Written()));
  }

  private final class Written implements OnceListener {
    @Override
    public void begun(Execution execution) {
      told.add("begun");
    }

    @Override
    public void ended(Execution execution, Result result) {
      told.add("ended");
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
    public void replayed(Operation operation, Answer answer) {
      told.add("replayed");
    }

    @Override
    public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
      told.add(step.toString());
    }
  }

  private void runsOnceAndAllIsToldTo(Once engine) {
    assertThat(run(engine, payment, PAID)).isEqualTo(new Result.Executed(PAID, true));
    assertThat(run(engine, payment, PAID)).isEqualTo(new Result.Replayed(PAID));
    assertThat(runs).isEqualTo(1);
    assertThat(told).containsExactly("CLAIM", "begun", "COMPLETE", "ended", "CLAIM", "replayed");
  }

  @Test
  void of_a_listener_at_the_begin_changes_nothing_and_the_others_hear() {
    runsOnceAndAllIsToldTo(
        with(
            new OnceListener() {
              @Override
              public void begun(Execution execution) {
                fail();
              }
            }));
  }

  @Test
  void of_a_listener_at_the_end_changes_nothing_and_the_others_hear() {
    runsOnceAndAllIsToldTo(
        with(
            new OnceListener() {
              @Override
              public void ended(Execution execution, Result result) {
                fail();
              }
            }));
  }

  @Test
  void of_a_listener_at_a_replay_changes_nothing_and_the_others_hear() {
    runsOnceAndAllIsToldTo(
        with(
            new OnceListener() {
              @Override
              public void replayed(Operation operation, Answer answer) {
                fail();
              }
            }));
  }

  @Test
  void of_a_listener_at_a_step_of_the_store_changes_nothing_and_the_others_hear() {
    runsOnceAndAllIsToldTo(
        with(
            new OnceListener() {
              @Override
              public void storeCalled(StoreStep step, Duration time, @Nullable Throwable failure) {
                fail();
              }
            }));
  }

  @Test
  void of_a_listener_does_not_hide_what_the_handler_broke_off_with() {
    Once engine =
        with(
            new OnceListener() {
              @Override
              public void abandoned(Execution execution) {
                fail();
              }
            });
    assertThatThrownBy(
            () ->
                engine.run(
                    payment,
                    execution -> {
                      throw new StackOverflowError("deep");
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(told).contains("abandoned");
  }

  @Test
  void of_a_listener_does_not_keep_what_did_not_run_from_being_free() {
    Once engine =
        with(
            new OnceListener() {
              @Override
              public void released(Execution execution) {
                fail();
              }
            });
    assertThatThrownBy(
            () ->
                engine.run(
                    payment,
                    execution -> {
                      throw new NotRunException("closed");
                    }))
        .isInstanceOf(NotRunException.class);
    assertThat(told).contains("released");
  }

  @Test
  void of_a_codec_is_a_refusal_that_says_that_it_ran_and_has_the_value() {
    Codec<String> throwing =
        new Codec<>() {
          @Override
          public byte[] encode(String value) {
            fail();
            return new byte[0];
          }

          @Override
          public String decode(byte[] bytes) {
            return "";
          }
        };
    assertThatThrownBy(() -> once.call(payment, throwing, () -> "paid"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> {
              assertThat(refused.hasRun()).isTrue();
              assertThat(refused.unrecordedValue()).isEqualTo("paid");
            });
  }

  @Test
  void of_a_failure_answer_leaves_a_plain_failure_to_be_recorded() {
    Once engine =
        configured(
            builder ->
                builder
                    .listener(new Written())
                    .failureAnswer(
                        cause -> {
                          fail();
                          return FAILED;
                        }));
    assertThatThrownBy(
            () ->
                engine.run(
                    payment,
                    execution -> {
                      throw new IllegalStateException("no bank");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no bank");
    assertThat(run(payment, PAID)).isEqualTo(new Result.Replayed(Answer.failure(500, Body.EMPTY)));
    assertThat(told).containsExactly("CLAIM", "begun", "COMPLETE", "ended");
  }
}
