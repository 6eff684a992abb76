package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Begun;
import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Fence;
import dev.once.core.Operation;
import dev.once.core.OperationId;
import dev.once.core.Outcome;
import dev.once.core.Result;
import dev.once.core.spi.RolledBackException;
import dev.once.core.spi.ThreadBound;
import dev.once.core.store.MemoryStore;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** Something else than the engine claims and records: here, what stands for a transaction. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class RunnerTest {

  /** Writes of the handler and the answer are kept together, or not at all. */
  private static final class Transactions {

    private static final ThreadLocal<List<String>> OPEN = new ThreadLocal<>();
    private final List<String> committed = new CopyOnWriteArrayList<>();
    private final Map<OperationId, Answer> answers = new ConcurrentHashMap<>();
    private volatile boolean commitFails;
    private volatile boolean handlerFails;

    void write(String line) {
      OPEN.get().add(line);
    }

    Runner runner() {
      return (request, operation) -> {
        Answer known = answers.get(operation.id());
        if (known != null) {
          return new Begun.Replay(known);
        }
        OPEN.set(new ArrayList<>());
        return new Begun.Proceed(run(operation));
      };
    }

    private Execution run(Operation operation) {
      return new ThreadBound() {
        @Override
        public void leaveThread() {}

        @Override
        public Operation operation() {
          return operation;
        }

        @Override
        public boolean isProtected() {
          return true;
        }

        @Override
        public Optional<Fence> fence() {
          return Optional.empty();
        }

        @Override
        public int attempt() {
          return 1;
        }

        @Override
        public CompletionStage<Void> lost() {
          return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Result> fail(Throwable cause) {
          return complete(Answer.failure(500, Body.EMPTY));
        }

        @Override
        public CompletionStage<Result> complete(Answer answer) {
          List<String> lines = OPEN.get();
          OPEN.remove();
          if (answer.outcome() == Outcome.FAILURE) {
            return CompletableFuture.completedStage(new Result.Executed(answer, false));
          }
          if (handlerFails) {
            return CompletableFuture.failedStage(
                new RolledBackException(new IllegalStateException("a broken constraint")));
          }
          if (commitFails) {
            return CompletableFuture.failedStage(new IOException("the commit failed"));
          }
          committed.addAll(lines);
          answers.put(operation.id(), answer);
          return CompletableFuture.completedStage(new Result.Executed(answer, true));
        }

        @Override
        public CompletionStage<Boolean> release() {
          OPEN.remove();
          return CompletableFuture.completedStage(true);
        }

        @Override
        public void abandon() {
          OPEN.remove();
        }
      };
    }
  }

  private final Transactions transactions = new Transactions();

  private Server start(Containers kind, Handler handler) throws Exception {
    return Server.start(kind, filter -> filter.runner(transactions.runner()), handler);
  }

  @InEachContainer
  void the_handler_and_its_answer_are_kept_together(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          transactions.write("order");
          response.setStatus(201);
          response.getOutputStream().print("made");
        };
    try (Server server = start(kind, handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("made");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.body()).isEqualTo("made");
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(transactions.committed).containsExactly("order");
    }
  }

  @InEachContainer
  void a_commit_that_fails_is_never_answered_with_success(Containers kind) throws Exception {
    transactions.commitFails = true;
    Handler handler =
        (request, response) -> {
          transactions.write("order");
          response.setStatus(201);
          response.getOutputStream().print("made");
        };
    try (Server server = start(kind, handler)) {
      HttpResponse<String> answer = server.post("k1", "{}");
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("outcome-unknown").doesNotContain("made");
      assertThat(transactions.committed).isEmpty();
    }
  }

  @InEachContainer
  void a_failure_of_the_handler_that_only_the_end_shows_is_answered_as_one_and_runs_again(
      Containers kind) throws Exception {
    transactions.handlerFails = true;
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ERROR) {
            response.getWriter().print("page");
            return;
          }
          response.setStatus(201);
          response.setHeader("X-Made", "1");
          response.getWriter().print("made");
        };
    try (Server plain = start(kind, handler);
        Server withPages =
            Server.start(
                kind,
                new MemoryStore(),
                filter -> filter.runner(transactions.runner()).errorPages(true),
                "/error",
                null,
                handler)) {
      for (int i = 1; i <= 2; i++) {
        HttpResponse<String> answer = plain.post("k1", "{}");
        HttpResponse<String> page = withPages.post("k1", "{}");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("\"status\":500");
        assertThat(answer.headers().firstValue("X-Made")).isEmpty();
        assertThat(page.statusCode()).isEqualTo(500);
        assertThat(page.body()).isEqualTo("page");
        assertThat(page.headers().firstValue("X-Made")).isEmpty();
        assertThat(plain.runs()).isEqualTo(i);
        assertThat(withPages.runs()).isEqualTo(i);
      }
    }
  }

  @InEachContainer
  void an_exception_rolls_back_and_runs_again(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          transactions.write("order");
          throw new IllegalStateException("broken");
        };
    try (Server server = start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.runs()).isEqualTo(2);
      assertThat(transactions.committed).isEmpty();
    }
  }

  @InEachContainer
  void a_run_that_ends_on_its_thread_does_not_go_asynchronous(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          assertThat(request.isAsyncSupported()).isFalse();
          request.startAsync();
        };
    try (Server server = start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(transactions.committed).isEmpty();
    }
  }
}
