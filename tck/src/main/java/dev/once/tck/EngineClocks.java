package dev.once.tck;

import static dev.once.tck.BlockingStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy;
import dev.once.core.Policy.OnCrash;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** That only the store's clock decides: two engines a day apart agree about every operation. */
abstract class EngineClocks extends Topic {

  private static final Duration DAY = Duration.ofDays(1);

  private static final Operation OPERATION =
      new Operation(
          ID,
          ASKED,
          Policy.DEFAULT.with(p -> p.lease(LEASE).retention(RETENTION).onCrash(OnCrash.RUN_AGAIN)));

  private final Clock clock = new Clock(Duration.ZERO);
  private Once ahead;
  private Once behind;

  EngineClocks(Callable<StoreFixture> opener) {
    super(opener);
  }

  /** A clock that is wrong, and timers that never fire. */
  private static final class Clock implements Scheduler {
    private volatile Duration offset;

    Clock(Duration offset) {
      this.offset = offset;
    }

    @Override
    public long nanoTime() {
      return System.nanoTime() + offset.toNanos();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
      return () -> {};
    }
  }

  @BeforeEach
  void startEngines() {
    ahead = Once.builder(fixture.store()).scheduler(new Clock(DAY)).build();
    behind = Once.builder(fixture.store()).scheduler(new Clock(DAY.negated())).build();
  }

  @AfterEach
  void closeEngines() {
    ahead.close();
    behind.close();
  }

  @Test
  void ahead_find_what_one_behind_runs_busy() {
    proceed(behind);

    assertBusy(ahead);
  }

  @Test
  void behind_find_what_one_ahead_runs_busy() {
    proceed(ahead);

    assertBusy(behind);
  }

  @Test
  void ahead_replay_what_one_behind_finished() {
    complete(proceed(behind));

    assertThat(await(ahead.begin(OPERATION))).isEqualTo(new Begun.Replay(ANSWER));
  }

  @Test
  void behind_replay_what_one_ahead_finished() {
    complete(proceed(ahead));

    assertThat(await(behind.begin(OPERATION))).isEqualTo(new Begun.Replay(ANSWER));
  }

  @Test
  void that_jump_past_the_lease_keep_it_while_the_store_says_so() {
    try (Once jumping = Once.builder(fixture.store()).scheduler(clock).build()) {
      Execution execution = proceed(jumping);
      clock.offset = DAY;

      assertBusy(jumping);
      assertBusy(behind);
      complete(execution);
    }
  }

  @Test
  void that_stand_still_take_over_when_the_store_says_that_the_lease_is_over() {
    Execution lost = proceed(ahead);
    timePasses(LEASE.plus(SLACK));

    assertThat(proceed(behind).attempt()).isEqualTo(2);
    assertThat(await(lost.complete(ANSWER))).isInstanceOf(Result.Refused.class);
  }

  private static Execution proceed(Once once) {
    Begun begun = await(once.begin(OPERATION));
    assertThat(begun).isInstanceOf(Begun.Proceed.class);
    return ((Begun.Proceed) begun).execution();
  }

  private static void complete(Execution execution) {
    assertThat(await(execution.complete(ANSWER))).isEqualTo(new Result.Executed(ANSWER, true));
  }

  private static void assertBusy(Once once) {
    Begun begun = await(once.begin(OPERATION));
    assertThat(begun).isInstanceOf(Begun.Refuse.class);
    assertThat(((Begun.Refuse) begun).refusal().reason()).isEqualTo(Reason.BUSY);
  }
}
