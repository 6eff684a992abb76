package dev.once.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.FaultyStore.Fault;
import dev.once.core.spi.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A scheduler of the user's own, whose pool is shut down while requests still come. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RejectedTimersTest extends EngineFixture {

  private final class Rejecting implements Scheduler {
    private boolean rejects;

    @Override
    public Timer schedule(Duration delay, Runnable task) {
      if (rejects) {
        throw new RejectedExecutionException("the pool is shut down");
      }
      return time.schedule(delay, task);
    }

    @Override
    public long nanoTime() {
      return time.nanoTime();
    }
  }

  private final Rejecting scheduler = new Rejecting();
  private final List<String> told = new ArrayList<>();
  private final Once engine =
      configured(
          builder ->
              builder
                  .scheduler(scheduler)
                  .listener(
                      new OnceListener() {
                        @Override
                        public void begun(Execution execution) {
                          told.add("begun");
                        }

                        @Override
                        public void ended(Execution execution, Result result) {
                          told.add("ended");
                        }
                      }));

  private <T> T late(CompletionStage<T> reply) {
    assertThat(reply.toCompletableFuture()).isNotDone();
    store.deliverLateReplies();
    return now(reply);
  }

  @Test
  void an_operation_begins_and_ends_all_the_same() {
    scheduler.rejects = true;
    store.next(Fault.LATE, Fault.LATE);
    Begun begun = late(engine.begin(pay("k")));
    Execution execution = ((Begun.Proceed) begun).execution();
    assertThat(late(execution.complete(PAID))).isEqualTo(new Result.Executed(PAID, true));
    assertThat(told).containsExactly("begun", "ended");
    assertThat(now(once.begin(pay("k")))).isEqualTo(new Begun.Replay(PAID));
  }
}
