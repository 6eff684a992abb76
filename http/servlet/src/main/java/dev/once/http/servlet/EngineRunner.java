package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.Operation;
import dev.once.core.Result;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The engine itself. */
record EngineRunner(Once once) implements Runner {

  @Override
  public Start begin(HttpServletRequest request, Operation operation) {
    Begun begun = once.await(() -> once.begin(operation));
    if (begun instanceof Begun.Proceed proceed) {
      return new Start.Proceed(new EngineRun(once, proceed.execution()));
    }
    return begun instanceof Begun.Replay replay
        ? new Start.Replay(replay.answer())
        : new Start.Refuse(((Begun.Refuse) begun).refusal());
  }

  private record EngineRun(Once once, Execution running) implements Run {

    @Override
    public Optional<Execution> execution() {
      return Optional.of(running);
    }

    @Override
    public <T> T await(Supplier<CompletionStage<T>> end) {
      return once.await(end);
    }

    @Override
    public CompletionStage<Result> complete(Answer answer) {
      return running.complete(answer);
    }

    @Override
    public CompletionStage<?> release() {
      return running.release();
    }

    @Override
    public void abandon() {
      running.abandon();
    }
  }
}
