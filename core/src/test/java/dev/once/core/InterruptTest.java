package dev.once.core;

import static dev.once.core.FaultyStore.Fault.HANGS;
import static dev.once.core.FaultyStore.Fault.LATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Policy.OnBusy;
import dev.once.core.Refusal.Reason;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.WaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers on threads of their own that are interrupted while they wait for a store. */
@Timeout(600)
@DisplayNameGeneration(ReplaceUnderscores.class)
class InterruptTest {

  private static final Answer PAID = Answer.success(201, Body.of("paid"));

  /** Longer than the test may take: nothing but the interrupt ends a wait. */
  private static final Duration LONG = Duration.ofHours(1);

  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore store = new FaultyStore(memory);
  private final Once once =
      Once.builder(store).storeTimeout(LONG).recordTimeout(LONG).purgeInterval(LONG).build();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicBoolean flag = new AtomicBoolean();

  @AfterEach
  void close() {
    once.close();
  }

  private static Operation pay(String key) {
    return Operation.of(
        Scope.GLOBAL,
        Key.of(key),
        Fingerprint.of("pay"),
        Policy.DEFAULT.with(p -> p.lease(LONG).onBusy(OnBusy.WAIT).longestWait(LONG)));
  }

  private Result run() throws Exception {
    return once.run(
        pay("key"),
        execution -> {
          runs.incrementAndGet();
          return PAID;
        });
  }

  private boolean isTaken() {
    return memory.find(pay("key").id()).toCompletableFuture().join().isPresent();
  }

  /** A caller that is in the store's step with this number, or already waits for it. */
  private <T> Caller<T> callerIn(int step, Callable<T> call) throws InterruptedException {
    CountDownLatch steps = new CountDownLatch(step);
    store.meanwhile(steps::countDown);
    Caller<T> caller = new Caller<>(call);
    caller.thread.start();
    steps.await();
    return caller;
  }

  private final class Caller<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    Caller(Callable<T> call) {
      task =
          new FutureTask<>(
              () -> {
                try {
                  return call.call();
                } finally {
                  flag.set(Thread.currentThread().isInterrupted());
                }
              });
      thread = new Thread(task);
      thread.setDaemon(true);
    }

    T interrupted() throws Exception {
      thread.interrupt();
      return result();
    }

    T result() throws Exception {
      return task.get(300, TimeUnit.SECONDS);
    }
  }

  @Test
  void a_caller_that_waits_for_its_claim_leaves_and_a_grant_that_comes_later_is_given_back()
      throws Exception {
    store.next(LATE);
    Caller<Result> caller = callerIn(1, this::run);
    assertThatThrownBy(caller::interrupted).hasCauseInstanceOf(InterruptedException.class);
    assertThat(isTaken()).as("granted, and nobody runs it").isTrue();
    store.deliverLateReplies();
    assertThat(isTaken()).isFalse();
    assertThat(runs).hasValue(0);
  }

  @Test
  void a_duplicate_that_waits_for_an_answer_leaves_and_does_not_keep_the_key() throws Exception {
    Begun first = once.begin(pay("key")).toCompletableFuture().join();
    Caller<Result> duplicate = callerIn(1, this::run);
    while (once.waiters() == 0) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(duplicate::interrupted).hasCauseInstanceOf(InterruptedException.class);
    ((Begun.Proceed) first).execution().release().toCompletableFuture().join();
    while (isTaken() || once.waiters() > 0) {
      Thread.onSpinWait();
    }
    assertThat(runs).hasValue(0);
  }

  @Test
  void whoever_waits_by_await_is_told_by_an_exception_and_has_its_flag_set() throws Exception {
    store.next(HANGS);
    Caller<Begun> caller = callerIn(1, () -> once.await(() -> once.begin(pay("key"))));
    assertThatThrownBy(caller::interrupted).hasCauseInstanceOf(WaitInterruptedException.class);
    assertThat(flag).isTrue();
  }

  @Test
  void a_caller_that_waits_for_its_answer_to_be_recorded_gets_it_and_it_is_recorded()
      throws Exception {
    store.next(FaultyStore.Fault.NONE, LATE);
    Caller<Result> caller = callerIn(2, this::run);
    Result.Refused refused = (Result.Refused) caller.interrupted();
    assertThat(refused.refusal().reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
    assertThat(refused.unrecordedAnswer()).isEqualTo(PAID);
    assertThat(flag).isTrue();
    store.deliverLateReplies();
    assertThat(run()).isEqualTo(new Result.Replayed(PAID));
  }

  @Test
  void an_interrupt_that_a_handler_left_behind_does_not_end_the_wait_for_its_recording()
      throws Exception {
    store.next(FaultyStore.Fault.NONE, LATE);
    Caller<Result> caller =
        callerIn(
            2,
            () ->
                once.run(
                    pay("key"),
                    execution -> {
                      Thread.currentThread().interrupt();
                      return PAID;
                    }));
    while (caller.thread.getState() != Thread.State.WAITING && !caller.task.isDone()) {
      Thread.onSpinWait();
    }
    store.deliverLateReplies();
    assertThat(caller.result()).isEqualTo(new Result.Executed(PAID, true));
    assertThat(flag).isTrue();
  }

  @Test
  void a_caller_that_is_interrupted_already_claims_nothing() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::run).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(store.calls()).isEmpty();
  }
}
