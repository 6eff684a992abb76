package dev.once.core;

import dev.once.core.store.Store;
import dev.once.core.store.WaitingCaller;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations once. One instance serves a whole application; it is thread-safe.
 *
 * <pre>{@code
 * try (Once once = Once.on(store)) {
 *   Result result = once.run(operation, execution -> charge(card, amount));
 * }
 * }</pre>
 *
 * <p>Closing it ends its timers: leases are no longer renewed, and waiting duplicates are refused.
 * The store is its owner's to close, afterwards.
 */
public final class Once implements AutoCloseable {

  private final Engine engine;
  private final Purging purging;
  private final Executor executor;
  private final Scheduler scheduler;
  private final Duration storeTimeout;

  private Once(Builder builder) {
    storeTimeout = builder.storeTimeout;
    scheduler = builder.scheduler == null ? new SystemScheduler() : builder.scheduler;
    Settings settings =
        new Settings(
            builder.store,
            scheduler,
            builder.random,
            builder.storeTimeout,
            builder.maxWaiters,
            builder.failureAnswer);
    StoreCalls calls = new StoreCalls(builder.store, builder.storeTimeout, scheduler);
    engine = new Engine(settings, calls);
    executor = builder.executor;
    purging = new Purging(calls, settings, builder.purgeInterval);
    purging.start();
  }

  /** An instance with default settings. */
  public static Once on(Store store) {
    return builder(store).build();
  }

  public static Builder builder(Store store) {
    return new Builder(store);
  }

  /**
   * Asks what to do about an operation: proceed, replay or refuse. Whoever proceeds must end the
   * execution.
   *
   * <p>The stage may be completed on a thread of the store or of a timer: what depends on it must
   * not block.
   */
  public CompletionStage<Begun> begin(Operation operation) {
    return engine.begin(operation);
  }

  /**
   * Runs the handler on this thread, unless the operation is known already.
   *
   * @throws Exception what the handler threw; it is recorded (if the key is still its own), or the
   *     key released, as the policy says for failures
   */
  public Result run(Operation operation, Handler handler) throws Exception {
    Begun begun = await(() -> engine.begin(operation));
    if (!(begun instanceof Begun.Proceed proceed)) {
      return withoutRunning(begun);
    }
    Execution execution = proceed.execution();
    Answer answer;
    try {
      answer = handler.handle(execution);
      if (answer == null) {
        throw noAnswer(execution);
      }
    } catch (NotRunException e) {
      await(execution::release);
      throw e;
    } catch (Throwable e) {
      await(() -> execution.fail(e));
      throw e;
    }
    return await(() -> execution.complete(answer));
  }

  /**
   * Calls, and waits for the result on this thread: {@code once.await(() ->
   * once.begin(operation))}. The same as to wait for the stage, but that a store may take the step
   * on this thread, which has nothing else to do: a lone caller has its reply sooner.
   *
   * @throws java.util.concurrent.CompletionException if the stage fails
   */
  public <T> T await(Supplier<? extends CompletionStage<T>> call) {
    return WaitingCaller.await(storeTimeout, call);
  }

  /**
   * {@link #run} for a handler that answers later. The handler is called on the {@linkplain
   * Builder#executor executor}; what it throws, or its stage fails with, fails the stage returned.
   */
  public CompletionStage<Result> runAsync(Operation operation, AsyncHandler handler) {
    return engine
        .begin(operation)
        .thenCompose(
            begun ->
                begun instanceof Begun.Proceed proceed
                    ? handleOnExecutor(proceed.execution(), handler)
                    : CompletableFuture.completedFuture(withoutRunning(begun)));
  }

  private CompletionStage<Result> handleOnExecutor(Execution execution, AsyncHandler handler) {
    try {
      return CompletableFuture.supplyAsync(() -> handle(execution, handler), executor)
          .thenCompose(Function.identity());
    } catch (RejectedExecutionException e) {
      return execution.release().thenCompose(any -> CompletableFuture.failedFuture(e));
    }
  }

  private static CompletableFuture<Result> handle(Execution execution, AsyncHandler handler) {
    CompletableFuture<Answer> answer;
    try {
      answer = handler.handle(execution).toCompletableFuture();
    } catch (Throwable e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer
        .handle((value, failure) -> end(execution, value, failure))
        .thenCompose(Function.identity());
  }

  private static CompletionStage<Result> end(
      Execution execution, @Nullable Answer answer, @Nullable Throwable failure) {
    if (answer != null) {
      return execution.complete(answer);
    }
    Throwable cause = failure == null ? noAnswer(execution) : StoreCalls.cause(failure);
    CompletionStage<?> ended =
        cause instanceof NotRunException ? execution.release() : execution.fail(cause);
    return ended.thenCompose(any -> CompletableFuture.failedFuture(cause));
  }

  private static IllegalStateException noAnswer(Execution execution) {
    return new IllegalStateException(
        "handler of " + execution.operation().id() + ": null (expected: an Answer)");
  }

  private static Result withoutRunning(Begun begun) {
    return begun instanceof Begun.Replay replay
        ? new Result.Replayed(replay.answer())
        : new Result.Refused(((Begun.Refuse) begun).refusal());
  }

  /** How many duplicates wait at the moment. */
  int waiters() {
    return engine.waiters();
  }

  @Override
  public void close() {
    purging.close();
    engine.close();
    if (scheduler instanceof SystemScheduler own) {
      own.close();
    }
  }

  /** Settings of an instance; every one has a default. */
  public static final class Builder {

    private final Store store;
    private @Nullable Scheduler scheduler;
    private RandomGenerator random = threadSafeRandom();
    private Executor executor = ForkJoinPool.commonPool();
    private Duration storeTimeout = Duration.ofSeconds(5);
    private Duration purgeInterval = Duration.ofMinutes(1);
    private int maxWaiters = 1000;
    private Function<Throwable, Answer> failureAnswer =
        cause -> Answer.failure(500, Body.of(cause.getClass().getSimpleName()));

    private Builder(Store store) {
      this.store = store;
    }

    /** Tokens must differ between processes, even ones that started in the same instant. */
    private static RandomGenerator threadSafeRandom() {
      long nonce = new SecureRandom().nextLong();
      return () -> ThreadLocalRandom.current().nextLong() ^ nonce;
    }

    /** Timers and elapsed time; by default a thread of its own. */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = scheduler;
      return this;
    }

    /** For tokens and jitter; must be thread-safe, and no two processes may have the same. */
    public Builder random(RandomGenerator random) {
      this.random = random;
      return this;
    }

    /** Where {@link Once#runAsync} calls handlers; by default the common pool. */
    public Builder executor(Executor executor) {
      this.executor = executor;
      return this;
    }

    /** How long one call to the store may take; by default 5 s. */
    public Builder storeTimeout(Duration timeout) {
      storeTimeout = Checks.positive("storeTimeout", timeout);
      return this;
    }

    /** How often expired records are looked for; by default every minute. */
    public Builder purgeInterval(Duration interval) {
      purgeInterval = Checks.positive("purgeInterval", interval);
      return this;
    }

    /** How many duplicates may wait at once, over all keys; by default 1000. */
    public Builder maxWaiters(int maxWaiters) {
      if (maxWaiters < 0) {
        throw new IllegalArgumentException("maxWaiters: " + maxWaiters + " (expected: >= 0)");
      }
      this.maxWaiters = maxWaiters;
      return this;
    }

    /**
     * What is recorded for a handler that threw. By default code 500 and the exception's class
     * name: its message may hold what is not meant for the client.
     */
    public Builder failureAnswer(Function<Throwable, Answer> failureAnswer) {
      this.failureAnswer = failureAnswer;
      return this;
    }

    public Once build() {
      return new Once(this);
    }
  }
}
