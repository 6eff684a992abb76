package dev.once.http.servlet;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.core.Result;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Where the operations of requests are claimed and recorded. By default that is the engine; an
 * integration may put something else in its place, such as a transaction that the handler takes
 * part in. What is read, captured, sent and replayed stays the filter's business.
 *
 * <p>For each request with a key the filter calls {@link #begin}, and if that says to proceed, it
 * runs the rest of the chain and then ends the {@link Run}, once. Unless the handler went
 * asynchronous, all of that is on the request's thread. A handler that threw ends with an answer,
 * too: one whose outcome is a failure. If the application has error pages, that comes after the
 * page was shown.
 */
@FunctionalInterface
public interface Runner {

  /**
   * Says what to do with a request; may block. What it throws is answered as a store that fails.
   */
  Start begin(HttpServletRequest request, Operation operation);

  /** What {@link #begin} says to do. */
  sealed interface Start {

    /** Run the handler, and end the run. */
    record Proceed(Run run) implements Start {}

    /** Give this recorded answer; do not run. */
    record Replay(Answer answer) implements Start {}

    /** Give this refusal; do not run. */
    record Refuse(Refusal refusal) implements Start {}
  }

  /** What the handler did was undone at its end, by its own fault: a constraint it broke, say. */
  final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final RuntimeException ofHandler;

    public FailedException(RuntimeException cause) {
      super(cause);
      ofHandler = cause;
    }

    RuntimeException ofHandler() {
      return ofHandler;
    }
  }

  /** An operation that runs. The filter ends it, by exactly one of the three ways. */
  interface Run {

    /** The engine's execution, for handlers and observers; empty if this is not one of its own. */
    default Optional<Execution> execution() {
      return Optional.empty();
    }

    /** Whether the handler may answer later, and on another thread. */
    default boolean allowsAsync() {
      return true;
    }

    /**
     * The request leaves the filter with an error of this status, to come back for the container's
     * error page; or not, if a filter outside answers it. Nothing of the run may stay with the
     * thread meanwhile, and another thread may end it.
     *
     * @return whether the run goes on; false if it has ended here, without an answer
     */
    default boolean leave(int status) {
      return true;
    }

    /** Ends the run by this call, and waits for it on this thread. */
    default <T> T await(Supplier<CompletionStage<T>> end) {
      return end.get().toCompletableFuture().join();
    }

    /**
     * Records an answer, also that of a handler that failed. The client gets the answer when the
     * stage says that it was executed, and not before; if the stage says that it was refused, or
     * fails, the answer is thrown away. With a {@link FailedException} it is as if the handler had
     * thrown its cause, and a retry runs.
     */
    CompletionStage<Result> complete(Answer answer);

    /** Ends without an answer: a retry may run. */
    CompletionStage<?> release();

    /** Ends without an answer, and nobody knows whether the operation took effect. */
    void abandon();
  }
}
