package dev.once.simulation;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Fingerprint;
import dev.once.core.NotRunException;
import dev.once.core.Operation;
import dev.once.core.Result;
import dev.once.core.store.ClaimRequest;
import dev.once.simulation.HandlerPlan.Ending;
import java.util.EnumMap;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One request of a client to one process, from its arrival to its result. */
final class Call {

  private static final long MOMENT = 1_000_000_000;

  private final World world;
  private final Incarnation process;
  private final Operation operation;
  private final HandlerPlan plan;
  private final Consumer<Call> whenOver;
  private boolean metFaults;
  private int startLine;
  private long startMillis;
  private long clockSetBack;
  private @Nullable Run run;
  private long arrivedAt;
  private long endedAt;
  private long timeToBegin;
  private final EnumMap<Step, Integer> steps = new EnumMap<>(Step.class);
  private boolean over;
  private @Nullable Result result;

  Call(
      World world,
      Incarnation process,
      Operation operation,
      HandlerPlan plan,
      Consumer<Call> whenOver) {
    this.world = world;
    this.process = process;
    this.operation = operation;
    this.plan = plan;
    this.whenOver = whenOver;
    process.calls().add(this);
  }

  Incarnation process() {
    return process;
  }

  Operation operation() {
    return operation;
  }

  HandlerPlan plan() {
    return plan;
  }

  /** Whether faults were still to be met when it began. */
  boolean metFaults() {
    return metFaults;
  }

  /** How long the history was when it began. */
  int startLine() {
    return startLine;
  }

  /** The store's time when it began, or less if its clock went back since. */
  long startMillis() {
    return startMillis - (world.storeClock.setBackMillis() - clockSetBack);
  }

  /** Whether the store's clock was set back since it began: expired records are there again. */
  boolean storeClockWentBack() {
    return world.storeClock.setBackMillis() != clockSetBack;
  }

  @Nullable Run run() {
    return run;
  }

  boolean isOver() {
    return over;
  }

  /** Null if it is not over, if its process crashed, or if its handler threw. */
  @Nullable Result result() {
    return result;
  }

  /** Counts one more step; returns how many there were of its kind. */
  int countStep(Step step) {
    return steps.merge(step, 1, Integer::sum);
  }

  int stepCount(Step step) {
    return steps.getOrDefault(step, 0);
  }

  /** Whether a claim of a process may be for it. */
  boolean asksFor(Incarnation by, ClaimRequest request) {
    return by == process
        && operation.id().equals(request.id())
        && operation.fingerprint().equals(request.fingerprint());
  }

  /** Sends it; it arrives a little later. */
  void send(long nanos) {
    process.post(nanos, this::arrive);
  }

  /** How the history shows it. */
  private record Description(Fingerprint fingerprint, HandlerPlan plan) {
    @Override
    public String toString() {
      String micros = String.format(Locale.ROOT, "%,d us", plan.nanos() / 1000);
      return "of " + fingerprint + ": " + plan.ending() + " in " + micros;
    }
  }

  private void arrive() {
    metFaults = !world.faults.areHealed();
    arrivedAt = process.node().workingNanos();
    startLine = world.history.size();
    startMillis = world.storeClock.trueMillis();
    clockSetBack = world.storeClock.setBackMillis();
    world.history.add(
        process.who(), "call", operation.id(), 0, new Description(operation.fingerprint(), plan));
    world.callBeginning = this;
    world.notClaimed.add(this);
    CompletionStage<Result> stage =
        plan.stepwise()
            ? process.once().begin(operation).thenCompose(this::proceedStepwise)
            : process.once().runAsync(operation, this::handle);
    world.callBeginning = null;
    CompletionStage<Result> unused = stage.whenComplete(this::end);
  }

  // Step by step, as an adapter runs it.

  private CompletionStage<Result> proceedStepwise(Begun begun) {
    if (begun instanceof Begun.Proceed proceed) {
      return runStepwise(proceed.execution());
    }
    return CompletableFuture.completedFuture(
        begun instanceof Begun.Replay replay
            ? new Result.Replayed(replay.answer())
            : new Result.Refused(((Begun.Refuse) begun).refusal()));
  }

  private CompletionStage<Result> runStepwise(Execution execution) {
    CompletionStage<Answer> answer;
    try {
      answer = handle(execution);
    } catch (HandlerException e) {
      return execution.fail(e);
    }
    return answer
        .handle((value, failure) -> endStepwise(execution, value, failure))
        .thenCompose(Function.identity());
  }

  private static CompletionStage<Result> endStepwise(
      Execution execution, @Nullable Answer answer, @Nullable Throwable failure) {
    if (answer != null) {
      return execution.complete(answer);
    }
    if (failure instanceof HandlerException) {
      return execution.fail(failure);
    }
    return execution.release().thenCompose(freed -> CompletableFuture.failedFuture(failure));
  }

  // The handler.

  private CompletionStage<Answer> handle(Execution execution) {
    timeToBegin = process.node().workingNanos() - arrivedAt;
    Run started = world.runRules.start(this, execution);
    run = started;
    CompletionStage<Void> unused = execution.lost().thenRun(() -> world.runRules.lost(started));
    if (plan.ending() == Ending.THROWS_AT_ONCE) {
      endedAt = process.node().workingNanos();
      started.end();
      throw new HandlerException(started.code());
    }
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    if (plan.ending() != Ending.NEVER) {
      process.post(plan.nanos(), () -> endHandler(started, answer));
    }
    return answer;
  }

  private void endHandler(Run ended, CompletableFuture<Answer> answer) {
    world.history.add(
        process.who(), "end", operation.id(), ended.fence(), ended + " " + plan.ending());
    ended.end();
    endedAt = process.node().workingNanos();
    switch (plan.ending()) {
      case THROWS_LATER -> answer.completeExceptionally(new HandlerException(ended.code()));
      case NOT_RUN -> answer.completeExceptionally(new NotRunException(ended.toString()));
      default -> answer.complete(ended.answer());
    }
  }

  // Its end.

  private void end(@Nullable Result given, @Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    Object outcome = given == null ? String.valueOf(cause) : given;
    world.history.add(
        process.who(), "result", operation.id(), run == null ? 0 : run.fence(), outcome);
    if (over) {
      world.violations.add(Invariant.REPLIES_TRUE, "a call had two results");
      return;
    }
    world.resultRules.check(this, given, cause);
    long now = process.node().workingNanos();
    world.callRules.checkDuration(
        this, run == null ? now - arrivedAt : timeToBegin, run == null ? 0 : now - endedAt);
    if (given != null) {
      world.callRules.checkStepsWithoutFaults(this, given);
    }
    over = true;
    result = given;
    whenOver.accept(this);
  }

  /** The process is dead; the client sees a broken connection. */
  void crashed() {
    if (!over) {
      over = true;
      if (run != null && !run.isOver()) {
        world.coverage.saw(Happening.CRASH_IN_HANDLER);
      }
      whenOver.accept(this);
    }
  }

  void wasPaused(long nanos) {
    if (run != null && run.isProtected() && !over && nanos > operation.policy().lease().toNanos()) {
      world.coverage.saw(Happening.PAUSE_PAST_LEASE);
    }
  }

  @Override
  public String toString() {
    return result == null ? "no result" : History.words(result);
  }

  /** Whether its answer was not recorded in time, a moment ago: it is still tried for a lease. */
  boolean mayBeRecordedLater() {
    return run != null
        && run.isUnrecorded()
        && process.node().workingNanos() - endedAt
            < 2 * operation.policy().lease().toNanos() + MOMENT;
  }

  /** Whether it may stay open for ever: its handler does. */
  boolean mayHang() {
    return run != null && plan.ending() == Ending.NEVER;
  }
}
