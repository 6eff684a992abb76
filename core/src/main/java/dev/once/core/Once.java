package dev.once.core;

import dev.once.core.spi.Scheduler;
import dev.once.core.store.Store;
import dev.once.core.store.WaitInterruptedException;
import dev.once.core.store.spi.WaitingCaller;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations once. One instance serves a whole application; it is thread-safe.
 *
 * <pre>{@code
 * try (Once once = Once.on(store)) {
 *   Receipt receipt = once.call(operation, codec, () -> charge(card, amount));
 * }
 * }</pre>
 *
 * <p>Closing it ends its timers: leases are no longer renewed, waiting duplicates are refused, and
 * claims that got no reply are no longer withdrawn. The store is its owner's to close, afterwards.
 */
public final class Once implements AutoCloseable {

  private final Engine engine;
  private final PurgeTask purging;
  private final Executor executor;
  private final Scheduler scheduler;
  private final Duration storeTimeout;
  private final OnceListener listener;

  private Once(Builder builder) {
    storeTimeout = builder.storeTimeout;
    scheduler = builder.scheduler == null ? new SystemScheduler() : builder.scheduler;
    listener = OnceListener.all(builder.listeners);
    Settings settings =
        new Settings(
            builder.store,
            new GuardedScheduler(scheduler),
            builder.random,
            builder.storeTimeout,
            builder.recordTimeout,
            builder.maxWaiters,
            listener,
            builder.failureAnswer);
    StoreCalls calls = new StoreCalls(settings);
    engine = new Engine(settings, calls);
    executor = builder.executor;
    purging = new PurgeTask(calls, settings, builder.purgeInterval);
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
   * execution. If the future of this stage is cancelled, or times out, before that is known, the
   * operation does not proceed.
   *
   * <p>The stage may be completed on a thread of the store or of a timer: what depends on it must
   * not block.
   */
  public CompletionStage<Begun> begin(Operation operation) {
    Objects.requireNonNull(operation, "operation: null (expected: an Operation)");
    CompletableFuture<Begun> begun = engine.begin(operation);
    if (begun.isDone()) {
      return begun;
    }
    CompletableFuture<Begun> given = new CompletableFuture<>();
    begun.whenComplete(
        (what, failure) -> {
          if (failure != null) {
            given.completeExceptionally(failure);
          } else if (!given.complete(what)) {
            giveBack(what);
          }
        });
    return given;
  }

  /**
   * Whether answers can be recorded: writes one of its own to the store, at most once a second, and
   * tells the same to all who ask meanwhile. For health checks: a store that can be read may be
   * full. If it cannot be written, nothing is claimed until it can.
   */
  public CompletionStage<Boolean> canRecord() {
    return engine.canRecord().minimalCompletionStage();
  }

  /**
   * Runs the handler on this thread, unless the operation is known already.
   *
   * <p>What the handler throws reaches the caller. An exception is how the operation ended: it is
   * recorded (if the key is still its own), or the key released, as the policy says for failures. A
   * {@link NotRunException} says that nothing was done, and frees the key. An interruption or an
   * {@link Error} says nothing, so nothing is recorded, and the crash policy decides; see {@link
   * Thrown}.
   *
   * <p>An interrupt that comes while the answer is recorded ends the wait, not the recording: the
   * result is then a refusal that has the answer, and the thread's interrupt flag is set.
   *
   * @throws InterruptedException if interrupted before the handler ran: it does not run, and the
   *     key is given back
   * @throws Exception what the handler threw
   */
  public Result run(Operation operation, Handler<? extends Answer> handler) throws Exception {
    require(operation, handler);
    Begun begun = beginOnThisThread(operation);
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
    } catch (Throwable e) {
      try {
        endOnThisThread(() -> execution.fail(e), null);
      } catch (RuntimeException second) { // it has ended itself before
        e.addSuppressed(second);
      }
      throw e;
    }
    return endOnThisThread(() -> execution.complete(answer), answer);
  }

  /**
   * Calls the callable on this thread, unless the operation is known already, and gives its value;
   * or else the value that was recorded. As {@link #run}, but with a type of your own.
   *
   * <pre>{@code
   * Receipt receipt = once.call(operation, codec, () -> charge(card, amount));
   * }</pre>
   *
   * <p>What the callable throws reaches the caller as it is, and what is recorded of it is as with
   * {@link #run}.
   *
   * @throws RefusedException if there is no result to give: the refusal says why. It has the value
   *     if the callable ran and its value could not be recorded or encoded
   * @throws EarlierFailureException if it ran before, and its failure is what was recorded
   * @throws NotReplayableException if it ran before, and its value was not kept or cannot be
   *     decoded
   * @throws InterruptedException if interrupted before the callable ran: it does not run, and the
   *     key is given back
   * @throws Exception what the callable threw
   */
  public <T extends @Nullable Object> T call(
      Operation operation, Codec<T> codec, Callable<? extends T> callable) throws Exception {
    require(operation, callable);
    return call(operation, codec, execution -> callable.call());
  }

  /** {@link #call(Operation, Codec, Callable)} for a function that asks about its execution. */
  public <T extends @Nullable Object> T call(
      Operation operation, Codec<T> codec, Handler<? extends T> handler) throws Exception {
    require(operation, handler);
    TypedCall<T> call = new TypedCall<>(operation, codec);
    Result result;
    try {
      result = run(operation, call.handler(handler));
    } catch (NotEncodedException e) {
      throw call.notEncoded(e);
    }
    return call.value(result);
  }

  /**
   * {@link #call(Operation, Codec, Callable)} for a function that answers later. It is called on
   * the {@linkplain Builder#executor executor}; what {@code call} throws fails the stage returned.
   */
  public <T extends @Nullable Object> CompletionStage<T> callAsync(
      Operation operation, Codec<T> codec, AsyncHandler<? extends T> handler) {
    require(operation, handler);
    TypedCall<T> call = new TypedCall<>(operation, codec);
    return runAsync(operation, call.asyncHandler(handler)).handle(call::end);
  }

  private Begun beginOnThisThread(Operation operation) throws InterruptedException {
    try {
      if (!Thread.currentThread().isInterrupted()) {
        return await(() -> engine.begin(operation));
      }
    } catch (WaitInterruptedException e) {
      // Told below, as every method that blocks does it.
    }
    Thread.interrupted();
    throw new InterruptedException("interrupted before " + operation.id() + " was run");
  }

  private Result endOnThisThread(Supplier<CompletionStage<Result>> end, @Nullable Answer answer) {
    try {
      return await(end);
    } catch (WaitInterruptedException e) {
      return Engine.unrecorded(
          "The operation ran, and the wait for its answer to be recorded was interrupted.", answer);
    }
  }

  private static void require(Operation operation, Object handler) {
    Objects.requireNonNull(operation, "operation: null (expected: an Operation)");
    Objects.requireNonNull(handler, "handler: null (expected: a handler)");
  }

  /**
   * Calls, and waits for the result on this thread: {@code once.await(() ->
   * once.begin(operation))}. The same as to wait for the stage, but that a store may take the step
   * on this thread, which has nothing else to do: a lone caller has its reply sooner.
   *
   * <p>An interrupt that comes meanwhile ends the wait, and the thread's flag is set again. An
   * operation that may proceed after that is released; an end that is being recorded is recorded.
   * An interrupt that came before does not count: what is to be recorded is.
   *
   * @throws java.util.concurrent.CompletionException if the stage fails
   * @throws WaitInterruptedException if the thread is interrupted
   */
  public <T> T await(Supplier<? extends CompletionStage<T>> call) {
    return WaitingCaller.await(storeTimeout, call, Once::giveBack);
  }

  /** The caller was interrupted, and left: nobody runs this. */
  private static void giveBack(Object result) {
    if (result instanceof Begun.Proceed proceed) {
      proceed.execution().release();
    }
  }

  /**
   * {@link #run} for a handler that answers later. The handler is called on the {@linkplain
   * Builder#executor executor}; what it throws, or its stage fails with, fails the stage returned.
   * A caller that does not wait for that any longer (a timeout, a cancelled future) changes
   * nothing.
   */
  public CompletionStage<Result> runAsync(
      Operation operation, AsyncHandler<? extends Answer> handler) {
    require(operation, handler);
    return engine
        .begin(operation)
        .thenCompose(
            begun ->
                begun instanceof Begun.Proceed proceed
                    ? handleOnExecutor(proceed.execution(), handler)
                    : CompletableFuture.completedFuture(withoutRunning(begun)))
        .minimalCompletionStage();
  }

  private CompletionStage<Result> handleOnExecutor(
      Execution execution, AsyncHandler<? extends Answer> handler) {
    CompletableFuture<Result> result = new CompletableFuture<>();
    AtomicBoolean taken = new AtomicBoolean(); // by the executor, or given back
    try {
      executor.execute(
          () -> {
            if (taken.compareAndSet(false, true)) {
              handle(execution, handler).whenComplete(into(result));
            }
          });
    } catch (Throwable e) { // it is full, say, or there can be no more threads
      if (taken.compareAndSet(false, true)) {
        execution.release().whenComplete((any, failure) -> result.completeExceptionally(e));
      }
    }
    return result;
  }

  /** Not every stage is a future, or can be made one. */
  private static <T> BiConsumer<T, @Nullable Throwable> into(CompletableFuture<T> future) {
    return (value, failure) -> {
      if (failure == null) {
        future.complete(value);
      } else {
        future.completeExceptionally(failure);
      }
    };
  }

  private static CompletableFuture<Result> handle(
      Execution execution, AsyncHandler<? extends Answer> handler) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    try {
      handler.handle(execution).whenComplete(into(answer));
    } catch (Throwable e) {
      answer.completeExceptionally(e);
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
    try {
      return execution.fail(cause).thenCompose(any -> CompletableFuture.failedFuture(cause));
    } catch (RuntimeException second) { // it has ended itself before
      cause.addSuppressed(second);
      return CompletableFuture.failedFuture(cause);
    }
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

  /** All who are told what happens, for whoever sees things that this does not. */
  public OnceListener listener() {
    return listener;
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
    private Duration recordTimeout = Duration.ofSeconds(30);
    private Duration purgeInterval = Duration.ofMinutes(1);
    private int maxWaiters = 1000;
    private final List<OnceListener> listeners = new ArrayList<>(List.of(new OperationLog()));
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

    /**
     * How long whoever ends an execution waits for a store that does not reply; by default 30 s,
     * and never longer than the operation's lease. Then the result is that the outcome is unknown;
     * the store is asked again in the background. One call is always waited for, so that it is not
     * shorter than {@link #storeTimeout}. A store that is closed ends the wait at once.
     */
    public Builder recordTimeout(Duration timeout) {
      recordTimeout = Checks.positive("recordTimeout", timeout);
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

    /** Is told what happens, too; the log {@code dev.once.operations} always is. */
    public Builder listener(OnceListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener: null (expected: a listener)"));
      return this;
    }

    /**
     * What is recorded for a handler that failed ({@link Thrown#FAILURE}). By default code 500 and
     * the exception's class name: its message may hold what is not meant for the client.
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
