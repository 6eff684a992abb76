package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/**
 * One request that two threads end at the same time: one end is recorded, and the client gets that
 * answer or a refusal, and nothing of the other.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class TwoEndsTest {

  private static final String FAILED = "{\"status\":500}";
  private static final int LIMIT = 10_000;

  /** One for each step: they wait for each other. */
  private static final Executor THREADS = step -> new Thread(step).start();

  private final SlowStore store = new SlowStore();

  /** Something that a thread of the test does, and that others wait for. */
  private interface Step {
    void take() throws IOException;
  }

  /** Counts down when the step is done, whatever becomes of it. */
  private static void onAnotherThread(CountDownLatch done, Step step) {
    THREADS.execute(
        () -> {
          try {
            step.take();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } finally {
            done.countDown();
          }
        });
  }

  private static void onAnotherThread(Step step) {
    onAnotherThread(new CountDownLatch(1), step);
  }

  private static void write(HttpServletResponse response, String text) throws IOException {
    response.setStatus(201);
    response.setContentType("text/plain;charset=utf-8");
    response.setHeader("X-Note", "of the answer");
    response.getOutputStream().print(text);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A filter outside that gives the others another response. */
  private static Filter with(Function<HttpServletResponse, HttpServletResponse> other) {
    return (request, response, chain) ->
        chain.doFilter(request, other.apply((HttpServletResponse) response));
  }

  private Server start(Containers kind, SlowStore behind, Filter outside, Handler handler)
      throws Exception {
    return Server.start(kind, behind, UnaryOperator.identity(), List.of(outside), handler);
  }

  private static CompletableFuture<HttpResponse<String>> post(Server server) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return server.post("k1", "{}");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        THREADS);
  }

  private static void assertAnswer(HttpResponse<String> answer, int status, String body) {
    assertThat(answer.body()).isEqualTo(body);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse("none"))
        .startsWith(status == 201 ? "text/plain" : "application/problem+json");
    assertThat(answer.headers().firstValue("X-Note").isPresent()).isEqualTo(status == 201);
  }

  /** The client has this answer, a retry gets it again, and the store was told of one end. */
  private static void assertOneEnd(
      Server server, SlowStore store, HttpResponse<String> first, int status, String body)
      throws Exception {
    assertAnswer(first, status, body);
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertReplayed(server, store, status, body);
  }

  private static void assertReplayed(Server server, SlowStore store, int status, String body)
      throws Exception {
    HttpResponse<String> retry = server.post("k1", "{}");
    while (retry.statusCode() == 409) {
      retry = server.post("k1", "{}");
    }
    assertAnswer(retry, status, body);
    assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(store.ends()).isOne();
    assertThat(server.runs()).isOne();
  }

  // A handler that throws, and another thread that answers.

  @InEachContainer
  void a_handler_that_throws_while_its_answer_is_recorded_changes_nothing(Containers kind)
      throws Exception {
    for (Error orException : new Error[] {null, new AssertionError("told to break off")}) {
      SlowStore recording = new SlowStore();
      CountDownLatch left = new CountDownLatch(1);
      Filter outside =
          (request, response, chain) -> {
            try {
              chain.doFilter(request, response);
            } finally {
              left.countDown();
            }
          };
      Handler handler =
          (request, response) -> {
            AsyncContext async = request.startAsync(request, response);
            onAnotherThread(
                () -> {
                  write(response, "done");
                  async.complete();
                });
            await(recording.asked());
            if (orException != null) {
              throw orException;
            }
            throw new IllegalStateException("told to fail");
          };
      try (Server server = start(kind, recording, outside, handler)) {
        CompletableFuture<HttpResponse<String>> first = post(server);
        await(left);
        recording.record();
        assertOneEnd(server, recording, first.get(), 201, "done");
      }
    }
  }

  @InEachContainer
  void an_answer_that_is_completed_while_the_handlers_failure_is_recorded_is_not_given(
      Containers kind) throws Exception {
    CountDownLatch completed = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              completed,
              () -> {
                await(store.asked());
                write(response, "done");
                async.complete();
              });
          throw new IllegalStateException("told to fail");
        };
    try (Server server = start(kind, store, with(response -> response), handler)) {
      CompletableFuture<HttpResponse<String>> first = post(server);
      await(completed);
      store.record();
      assertOneEnd(server, store, first.get(), 500, FAILED);
    }
  }

  /** The failing thread forgets what was written, and meanwhile the other one completes. */
  @InEachContainer
  void a_failure_does_not_overwrite_the_answer_that_another_thread_completes(Containers kind)
      throws Exception {
    SlowStore quick = SlowStore.recordingAtOnce();
    CountDownLatch written = new CountDownLatch(1);
    CountDownLatch forgotten = new CountDownLatch(1);
    CountDownLatch completed = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              completed,
              () -> {
                write(response, "done");
                written.countDown();
                await(forgotten);
                async.complete();
              });
          await(written);
          throw new IllegalStateException("told to fail");
        };
    Filter outside =
        with(
            response ->
                new HttpServletResponseWrapper(response) {
                  @Override
                  public void reset() {
                    forgotten.countDown();
                    await(completed);
                    super.reset();
                  }
                });
    try (Server server = start(kind, quick, outside, handler)) {
      assertOneEnd(server, quick, post(server).get(), 500, FAILED);
    }
  }

  @InEachContainer
  void a_handler_that_throws_while_a_large_answer_is_recorded_does_not_cut_it_off(Containers kind)
      throws Exception {
    HttpPolicy small =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.maxStoredBody(LIMIT))));
    CountDownLatch left = new CountDownLatch(1);
    Filter outside =
        (request, response, chain) -> {
          try {
            chain.doFilter(request, response);
          } finally {
            left.countDown();
          }
        };
    String piece = "piece of a large answer, ";
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              () -> {
                for (int i = 0; i < LIMIT; i++) {
                  response.getOutputStream().print(piece);
                }
                async.complete();
              });
          await(store.asked());
          throw new IllegalStateException("told to fail");
        };
    try (Server server =
        Server.start(kind, store, f -> f.policies(any -> small), List.of(outside), handler)) {
      CompletableFuture<HttpResponse<String>> first = post(server);
      await(left);
      store.record();
      assertThat(first.get().body()).isEqualTo(piece.repeat(LIMIT));
      assertThat(server.post("k1", "{}").body()).contains("\"replayed\":true");
      assertThat(store.ends()).isOne();
    }
  }

  // Two threads that say how to go on.

  @InEachContainer
  void an_answer_that_is_completed_twice_is_given_when_it_is_recorded(Containers kind)
      throws Exception {
    CountDownLatch again = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              () -> {
                write(response, "done");
                async.complete();
              });
          onAnotherThread(
              again,
              () -> {
                await(store.asked());
                async.complete();
              });
        };
    try (Server server = start(kind, store, with(response -> response), handler)) {
      CompletableFuture<HttpResponse<String>> first = post(server);
      await(again);
      store.record();
      assertOneEnd(server, store, first.get(), 201, "done");
    }
  }

  @InEachContainer
  void a_dispatch_while_the_answer_is_recorded_is_refused(Containers kind) throws Exception {
    CountDownLatch refused = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              () -> {
                write(response, "done");
                async.complete();
              });
          onAnotherThread(
              () -> {
                await(store.asked());
                assertThatThrownBy(async::dispatch).isInstanceOf(IllegalStateException.class);
                refused.countDown();
              });
        };
    try (Server server = start(kind, store, with(response -> response), handler)) {
      CompletableFuture<HttpResponse<String>> first = post(server);
      await(refused);
      store.record();
      assertOneEnd(server, store, first.get(), 201, "done");
    }
  }

  @InEachContainer
  void an_answer_is_not_completed_in_the_middle_of_a_dispatch(Containers kind) throws Exception {
    SlowStore quick = SlowStore.recordingAtOnce();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            write(response, "one ");
            begun.countDown();
            await(refused);
            response.getOutputStream().print("two");
            return;
          }
          AsyncContext async = request.startAsync(request, response);
          onAnotherThread(
              () -> {
                await(begun);
                assertThatThrownBy(async::complete).isInstanceOf(IllegalStateException.class);
                refused.countDown();
              });
          async.dispatch();
        };
    try (Server server = start(kind, quick, with(response -> response), handler)) {
      assertOneEnd(server, quick, post(server).get(), 201, "one two");
    }
  }

  // The container's timeout, and an answer.

  /** Knows which thread of the container says that the time is over. */
  private static final class Timeouts implements AsyncListener {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CompletableFuture<Thread> told = new CompletableFuture<>();
    private final AtomicBoolean awaited = new AtomicBoolean();

    @Override
    public void onTimeout(AsyncEvent event) {
      told.complete(Thread.currentThread());
    }

    /** Until that thread has gone on as far as it can, or has nothing more to do; once. */
    void awaitGoneOn() {
      if (awaited.compareAndSet(false, true)) {
        reached.countDown();
        Thread thread = told.orTimeout(300, TimeUnit.SECONDS).join();
        while (thread.getState() == Thread.State.RUNNABLE) {
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }

  /**
   * Answers on another thread, in a request whose time is short: it begins when the handler has
   * returned, hence after the answer is on its way.
   */
  private static Handler soon(Timeouts timeouts, AtomicReference<Thread> answering) {
    return (request, response) -> {
      AsyncContext async = request.startAsync(request, response);
      async.setTimeout(100);
      async.addListener(timeouts);
      onAnotherThread(
          () -> {
            answering.set(Thread.currentThread());
            write(response, "done");
            async.complete();
          });
      await(timeouts.reached);
    };
  }

  @InEachContainer
  void a_timeout_while_the_answer_is_sent_lets_it_be_sent(Containers kind) throws Exception {
    SlowStore quick = SlowStore.recordingAtOnce();
    Timeouts timeouts = new Timeouts();
    Filter outside =
        with(
            response ->
                new HttpServletResponseWrapper(response) {
                  @Override
                  public ServletOutputStream getOutputStream() throws IOException {
                    return new Late(super.getOutputStream(), timeouts);
                  }
                });
    try (Server server = start(kind, quick, outside, soon(timeouts, new AtomicReference<>()))) {
      assertOneEnd(server, quick, post(server).get(), 201, "done");
    }
  }

  /** Writes when the time of the request is over. */
  private static final class Late extends ServletOutputStream {
    private final ServletOutputStream real;
    private final Timeouts timeouts;

    Late(ServletOutputStream real, Timeouts timeouts) {
      this.real = real;
      this.timeouts = timeouts;
    }

    @Override
    public void write(int b) throws IOException {
      real.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      timeouts.awaitGoneOn();
      real.write(bytes, offset, length);
    }

    @Override
    public boolean isReady() {
      return real.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      real.setWriteListener(listener);
    }
  }

  @InEachContainer
  void a_timeout_while_the_answer_is_read_for_its_record_does_not_get_into_it(Containers kind)
      throws Exception {
    SlowStore quick = SlowStore.recordingAtOnce();
    Timeouts timeouts = new Timeouts();
    AtomicReference<Thread> answering = new AtomicReference<>();
    Filter outside =
        with(
            response ->
                new HttpServletResponseWrapper(response) {
                  @Override
                  public Collection<String> getHeaderNames() {
                    if (Thread.currentThread() == answering.get()) {
                      timeouts.awaitGoneOn();
                    }
                    return super.getHeaderNames();
                  }
                });
    try (Server server = start(kind, quick, outside, soon(timeouts, answering))) {
      HttpResponse<String> first = post(server).get();
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).contains("upstream-timeout").doesNotContain("done");
      assertThat(first.headers().firstValue("X-Note")).isEmpty();
      assertReplayed(server, quick, 201, "done");
    }
  }
}
