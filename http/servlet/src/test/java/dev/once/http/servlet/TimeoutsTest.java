package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.semantics.RefusalFormat;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/**
 * What listeners of asynchronous requests do about a timeout, and what of that is an answer: what
 * they say themselves, and nothing of what the handler had begun.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class TimeoutsTest {

  private static final int TIMEOUT_SECONDS = 300;
  private static final int CUT_OFF = 0;

  private static class Listener implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }

  private static Listener onTimeout(Consumer<AsyncContext> does) {
    return new Listener() {
      @Override
      public void onTimeout(AsyncEvent event) {
        does.accept(event.getAsyncContext());
      }
    };
  }

  private static void print(AsyncContext async, String text) {
    print((HttpServletResponse) async.getResponse(), text);
  }

  private static void print(HttpServletResponse response, String text) {
    try {
      response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A handler that writes, goes asynchronous, and times out. A dispatch says nothing. */
  private static Handler timingOut(String begun, Consumer<AsyncContext> listener) {
    return (request, response) -> {
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        return;
      }
      print(response, begun);
      AsyncContext async = request.startAsync(request, response);
      async.setTimeout(200);
      async.addListener(onTimeout(listener));
    };
  }

  /** No client is told a success, and nothing is recorded. */
  private static void assertUnknown(Containers kind, Handler handler) throws Exception {
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).as(first.body()).isEqualTo(409);
      assertThat(first.body()).contains("outcome-unknown");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(409);
      assertThat(retry.body()).contains("still-running");
    }
  }

  @InEachContainer
  void a_dispatch_without_a_word_is_no_answer(Containers kind) throws Exception {
    assertUnknown(kind, timingOut("", AsyncContext::dispatch));
  }

  @InEachContainer
  void half_a_body_is_no_answer_after_a_dispatch(Containers kind) throws Exception {
    assertUnknown(kind, timingOut("half", AsyncContext::dispatch));
  }

  @InEachContainer
  void half_a_body_is_no_answer_with_a_status_of_the_listeners(Containers kind) throws Exception {
    assertUnknown(
        kind,
        timingOut(
            "half",
            async -> {
              ((HttpServletResponse) async.getResponse()).setStatus(200);
              async.complete();
            }));
  }

  @InEachContainer
  void half_a_body_is_no_answer_with_a_text_of_the_listeners(Containers kind) throws Exception {
    assertUnknown(
        kind,
        timingOut(
            "half",
            async -> {
              print(async, "timed out");
              async.complete();
            }));
  }

  @InEachContainer
  void a_field_and_a_flush_are_no_answer(Containers kind) throws Exception {
    assertUnknown(
        kind,
        timingOut(
            "",
            async -> {
              ((HttpServletResponse) async.getResponse()).setHeader("X-A", "b");
              print(async, "");
              try {
                async.getResponse().flushBuffer();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              async.complete();
            }));
  }

  @InEachContainer
  void what_a_listener_says_after_a_reset_is_the_answer(Containers kind) throws Exception {
    Handler handler =
        timingOut(
            "half",
            async -> {
              async.getResponse().reset();
              print(async, "timed out");
              async.complete();
            });
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("timed out");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(200);
      assertThat(retry.body()).isEqualTo("timed out");
    }
  }

  @InEachContainer
  void what_was_written_after_a_first_timeout_is_no_answer_to_a_second_one(Containers kind)
      throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    assertUnknown(
        kind,
        (request, response) -> {
          int round = rounds.getAndIncrement();
          if (round == 1) {
            print(response, "half");
          }
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          async.addListener(
              onTimeout(round == 0 ? AsyncContext::dispatch : AsyncContext::complete));
        });
  }

  /** As the specification has it, for listeners that want to hear of the next cycle too. */
  @InEachContainer
  void a_listener_that_registers_again_is_told_of_the_next_timeout(Containers kind)
      throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    Listener again =
        new Listener() {
          @Override
          public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
          }

          @Override
          public void onTimeout(AsyncEvent event) {
            ((HttpServletResponse) event.getAsyncContext().getResponse()).setStatus(503);
            event.getAsyncContext().complete();
          }
        };
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          if (rounds.getAndIncrement() == 0) {
            async.addListener(again);
            async.dispatch();
          } else {
            async.setTimeout(200);
          }
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
    }
  }

  @InEachContainer
  void a_listener_that_throws_an_error_does_not_take_the_answer_with_it(Containers kind)
      throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          async.addListener(
              onTimeout(
                  any -> {
                    throw new AssertionError("a listener's");
                  }));
          CompletableFuture.runAsync(
                  () -> {
                    await(go);
                    response.setStatus(201);
                    print(response, "late");
                    async.complete();
                  })
              .whenComplete((any, failure) -> done.complete(null));
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).contains("upstream-timeout");
      go.countDown();
      done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("late");
    }
  }

  @InEachContainer
  void a_handler_that_dispatches_after_its_timeout_has_broken_off(Containers kind)
      throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    CompletableFuture<Void> abandoned = new CompletableFuture<>();
    OnceListener listener =
        new OnceListener() {
          @Override
          public void abandoned(Execution execution) {
            abandoned.complete(null);
          }
        };
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          CompletableFuture.runAsync(
                  () -> {
                    await(go);
                    async.dispatch();
                  })
              .whenComplete((any, failure) -> refused.complete(failure));
        };
    try (Server server = Server.start(kind, listener, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      go.countDown();
      assertThat(refused.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IllegalStateException.class);
      abandoned.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Where a container takes any path, there is nothing to see. */
  @InEachContainer
  void a_path_that_was_refused_does_not_cost_a_later_answer(Containers kind) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<Boolean> refused = new CompletableFuture<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            return;
          }
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          try {
            async.dispatch("without a slash");
            refused.complete(false);
            return;
          } catch (IllegalArgumentException e) {
            refused.complete(true);
          }
          CompletableFuture.runAsync(
                  () -> {
                    await(go);
                    response.setStatus(201);
                    print(response, "late");
                    async.complete();
                  })
              .whenComplete((any, failure) -> done.complete(null));
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      if (!refused.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
      assertThat(first.statusCode()).isEqualTo(500);
      go.countDown();
      done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).as(retry.body()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("late");
    }
  }

  @InEachContainer
  void what_the_container_was_to_run_threw_so_that_nobody_ends_it_after_the_timeout(Containers kind)
      throws Exception {
    taskThrows(kind, false);
  }

  /** Tomcat then says that there was an error, and not that the time is over. */
  @InEachContainer
  void what_the_container_was_to_run_threw_before_the_handler_had_returned(Containers kind)
      throws Exception {
    taskThrows(kind, kind == Containers.TOMCAT);
  }

  private static void taskThrows(Containers kind, boolean first) throws Exception {
    CompletableFuture<Void> abandoned = new CompletableFuture<>();
    OnceListener listener =
        new OnceListener() {
          @Override
          public void abandoned(Execution execution) {
            abandoned.complete(null);
          }
        };
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          async.start(
              () -> {
                throw new IllegalStateException("what it was to run");
              });
          while (first && request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) == null) {
            Thread.onSpinWait();
          }
        };
    try (Server server = Server.start(kind, listener, handler)) {
      try {
        assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      } catch (IOException e) {
        assertThat(kind)
            .as("without the filter it is cut off there, too")
            .isEqualTo(Containers.TOMCAT);
      }
      abandoned.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Undertow has 16 threads on two processors, and lets those who do not read wait for ever. */
  @InEachContainer
  void clients_that_do_not_read_hold_no_thread_after_their_timeout(Containers kind)
      throws Exception {
    int slowOnes = 8 * Runtime.getRuntime().availableProcessors() + 1;
    byte[] large = new byte[14 << 20];
    CountDownLatch timedOut = new CountDownLatch(slowOnes);
    Handler handler =
        (request, response) -> {
          if (request.getHeader("Idempotency-Key").startsWith("quick")) {
            response.setStatus(201);
            return;
          }
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          async.addListener(onTimeout(any -> timedOut.countDown()));
          Thread own =
              new Thread(
                  () -> {
                    try {
                      response.getOutputStream().write(large);
                      async.complete();
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
          own.setDaemon(true);
          own.start();
        };
    List<Socket> slow = new ArrayList<>();
    try (Server server =
        Server.start(
            kind,
            filter ->
                filter
                    .policies(any -> policyKeeping(large.length))
                    .readTimeout(Duration.ofSeconds(1)),
            handler)) {
      for (int i = 0; i < slowOnes; i++) {
        Socket client = new Socket();
        slow.add(client);
        client.setReceiveBufferSize(4096);
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        client
            .getOutputStream()
            .write(
                ("POST /orders HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: slow-"
                        + i
                        + "\r\nContent-Length: 2\r\n\r\n{}")
                    .getBytes(StandardCharsets.US_ASCII));
      }
      await(timedOut);
      assertThat(server.post("quick", "{}").statusCode()).isEqualTo(201);
    } finally {
      for (Socket client : slow) {
        client.close();
      }
    }
  }

  /**
   * The first piece goes to the container on the handler's thread while the timeout is answered on
   * another: one of them has the response.
   */
  @InEachContainer
  void a_large_answer_that_begins_while_its_timeout_is_answered_is_not_mixed_with_it(
      Containers kind) throws Exception {
    CountDownLatch answering = new CountDownLatch(1);
    CountDownLatch beginning = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    CompletableFuture<Thread> handling = new CompletableFuture<>();
    Filter slow =
        (request, response, chain) ->
            chain.doFilter(
                request,
                new HttpServletResponseWrapper((HttpServletResponse) response) {
                  @Override
                  public void setStatus(int status) {
                    if (Thread.currentThread() == handling.getNow(null)) {
                      beginning.countDown();
                    }
                    super.setStatus(status);
                  }
                });
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(200);
          CompletableFuture.runAsync(
                  () -> {
                    handling.complete(Thread.currentThread());
                    await(answering);
                    response.setStatus(201);
                    for (int i = 0; i < 3; i++) {
                      print(response, "x".repeat(9000));
                    }
                  })
              .whenComplete((any, failure) -> ended.countDown());
        };
    try (Server server =
        Server.start(
            kind,
            new MemoryStore(),
            filter ->
                filter
                    .policies(any -> small())
                    .refusalFormat(
                        problem -> {
                          answering.countDown();
                          await(beginning);
                          return RefusalFormat.OF_THE_POLICY.reply(problem);
                        }),
            List.of(slow),
            handler)) {
      assertThat(statusOrCutOff(server)).isIn(500, CUT_OFF);
      await(ended);
    }
  }

  private static int statusOrCutOff(Server server) throws InterruptedException {
    try {
      return server.post("k1", "{}").statusCode();
    } catch (IOException e) {
      return CUT_OFF;
    }
  }

  private static HttpPolicy small() {
    return policyKeeping(100);
  }

  private static HttpPolicy policyKeeping(int bytes) {
    return HttpPolicy.DEFAULT.with(
        p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.maxStoredBody(bytes))));
  }
}
