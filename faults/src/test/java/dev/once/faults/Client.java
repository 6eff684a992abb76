package dev.once.faults;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Policy.OnBusy;
import dev.once.core.Refusal.Reason;
import dev.once.core.Result;
import dev.once.core.store.Inspection;
import dev.once.faults.Event.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * A client: it wants each operation done, in an order of its own, and retries what it got no answer
 * to, after other things. It gives up only an operation whose outcome is unknown by policy.
 */
final class Client implements Runnable {

  /** With so many keys without an answer it only retries. */
  private static final int MAX_UNANSWERED = 5;

  private static final Duration PAUSE = Duration.ofMillis(20);

  /** After one in so many replays it releases the key, or sends another request with it. */
  private static final int MISUSE_ONE_IN = 8;

  private record Repeat(String key, long due) {}

  private final String name;
  private final String process;
  private final Once once;
  private final Inspection inspection;
  private final Plan plan;
  private final Consumer<Event> history;
  private final int first;
  private final IntSupplier last;
  private final Random random;
  private final OnBusy onBusy;
  private final int block;
  private final Deque<String> unanswered = new ArrayDeque<>();
  private final Deque<Repeat> mayHaveExpired = new ArrayDeque<>();
  private int calls;

  Client(
      String name,
      String process,
      Once once,
      Inspection inspection,
      Plan plan,
      Consumer<Event> history,
      int first,
      IntSupplier last) {
    this.name = name;
    this.process = process;
    this.once = once;
    this.inspection = inspection;
    this.plan = plan;
    this.history = history;
    this.first = first;
    this.last = last;
    this.random = new Random(name.hashCode());
    this.block = plan.block();
    this.onBusy = random.nextBoolean() ? OnBusy.WAIT : OnBusy.REJECT;
  }

  String name() {
    return name;
  }

  @Override
  public void run() {
    for (int n = first / block; n * block <= last.getAsInt(); n++) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < block; i++) {
        keys.add(Keys.key(n * block + i));
      }
      Collections.shuffle(keys, random);
      for (String key : keys) {
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
        request(key);
        repeatExpired();
        retry(MAX_UNANSWERED);
      }
    }
    retry(0);
  }

  private void request(String key) {
    if (!askOnce(key)) {
      unanswered.add(key);
    } else if (Keys.mayExpire(key) && random.nextBoolean()) {
      mayHaveExpired.add(new Repeat(key, System.nanoTime() + Keys.retention(key).toNanos()));
    }
  }

  /** Asks again for answers that may have expired since. */
  private void repeatExpired() {
    while (!mayHaveExpired.isEmpty() && System.nanoTime() - mayHaveExpired.peek().due > 0) {
      request(mayHaveExpired.remove().key);
    }
  }

  /** Retries once in any case, and then until only so many are left. */
  private void retry(int most) {
    boolean tried = false;
    while (unanswered.size() > most || (!tried && !unanswered.isEmpty())) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      if (unanswered.size() > most) {
        LockSupport.parkNanos((long) (PAUSE.toNanos() * (0.5 + random.nextDouble())));
      }
      tried = true;
      request(unanswered.remove());
    }
  }

  /** Asks once; false if it has to ask again. */
  private boolean askOnce(String key) {
    String call = name + "#" + calls++;
    Operation operation = Keys.operation(key, plan.lease(), onBusy);
    report(Kind.INVOKED, call, key, 0, "");
    try {
      Result result = once.run(operation, execution -> handle(call, key, execution));
      boolean settled = report(call, key, result);
      if (result instanceof Result.Replayed replayed && random.nextInt(MISUSE_ONE_IN) == 0) {
        if (Keys.isReleased(key)) {
          release(key, Keys.fence(Keys.text(replayed.answer())));
        } else if (!Keys.mayExpire(key)) {
          askForOther(key);
        }
      }
      return settled;
    } catch (Throwable e) {
      report(Kind.FAILED, call, key, 0, e.toString());
      throw new IllegalStateException(e);
    }
  }

  /** As a person does who saw the answer and wants it deleted. */
  private void release(String key, long fence) {
    String call = name + "#" + calls++;
    report(Kind.RELEASING, call, key, fence, "");
    String done;
    try {
      done =
          inspection
              .forceRelease(Keys.id(key), new Fence(fence))
              .toCompletableFuture()
              .get(plan.storeTimeout().toNanos(), TimeUnit.NANOSECONDS)
              .toString();
    } catch (ExecutionException | TimeoutException e) {
      done = "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      done = "unknown";
    }
    report(Kind.RELEASED, call, key, fence, done);
  }

  private void askForOther(String key) throws Exception {
    String call = name + "#" + calls++;
    report(Kind.INVOKED, call, key, 0, Event.OTHER);
    report(
        call,
        key,
        once.run(
            Keys.otherOperation(key, plan.lease()), execution -> handle(call, key, execution)));
  }

  private Answer handle(String call, String key, Execution execution) {
    long fence = execution.fence().map(f -> f.value()).orElse(0L);
    String text = Keys.answerText(key, process, fence);
    report(Kind.RAN, call, key, fence, text);
    Duration longest = plan.work();
    long nanos =
        Keys.isSlow(key) ? plan.slow().toNanos() : (long) (longest.toNanos() * random.nextDouble());
    LockSupport.parkNanos(nanos);
    return Keys.answer(text, plan.answerBytes());
  }

  private boolean report(String call, String key, Result result) {
    if (result instanceof Result.Executed executed) {
      String text = Keys.text(executed.answer());
      Kind kind = executed.recorded() ? Kind.EXECUTED : Kind.UNRECORDED;
      report(kind, call, key, Keys.fence(text), text);
      return true;
    }
    if (result instanceof Result.Replayed replayed) {
      report(Kind.REPLAYED, call, key, 0, Keys.text(replayed.answer()));
      return true;
    }
    Reason reason = ((Result.Refused) result).refusal().reason();
    report(Kind.REFUSED, call, key, 0, reason.name());
    // A store that lost the record may have granted the key to another request: it stays that
    // one's.
    return reason == Reason.MISMATCH || (reason == Reason.OUTCOME_UNKNOWN && !Keys.runsAgain(key));
  }

  private void report(Kind kind, String call, String key, long fence, String text) {
    history.accept(new Event(System.nanoTime(), kind, process, call, key, fence, text));
  }
}
