package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnEnd;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** Requests that are answered later: never recorded before the answer is there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class AsyncTest {

  private static void write(HttpServletResponse response, String text) {
    try {
      response.setStatus(201);
      response.setContentType("text/plain;charset=utf-8");
      response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** First and second time the same, and run once. */
  private static void assertOnce(Server server, int status, String body) throws Exception {
    HttpResponse<String> first = server.post("k1", "{}");
    HttpResponse<String> second = server.post("k1", "{}");
    assertThat(first.body()).isEqualTo(body);
    assertThat(first.statusCode()).isEqualTo(status);
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(second.body()).isEqualTo(body);
    assertThat(second.statusCode()).isEqualTo(status);
    assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(second.headers().firstValue("Content-Type"))
        .isEqualTo(first.headers().firstValue("Content-Type"));
    assertThat(server.runs()).isOne();
  }

  @InEachContainer
  void an_answer_from_another_thread_is_recorded_when_it_is_complete(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          CompletableFuture.runAsync(
              () -> {
                write((HttpServletResponse) async.getResponse(), "later");
                async.complete();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "later");
    }
  }

  @InEachContainer
  void an_answer_that_is_complete_before_the_handler_returns(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          write(response, "at once");
          async.complete();
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "at once");
    }
  }

  @InEachContainer
  void an_answer_after_a_dispatch_back_as_spring_does_it(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            write(response, "dispatched " + request.getAttribute("result"));
            return;
          }
          AsyncContext async = request.startAsync(request, response);
          CompletableFuture.runAsync(
              () -> {
                request.setAttribute("result", "with a result");
                async.dispatch();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "dispatched with a result");
    }
  }

  @InEachContainer
  void a_dispatch_to_another_path_before_the_handler_returns(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getRequestURI().equals("/other")) {
            write(response, "other");
          } else {
            request.startAsync().dispatch("/other");
          }
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "other");
    }
  }

  @InEachContainer
  void a_dispatch_that_goes_asynchronous_again(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          if (request.getDispatcherType() == DispatcherType.REQUEST) {
            response.getOutputStream().print("one ");
            CompletableFuture.runAsync(async::dispatch);
          } else {
            CompletableFuture.runAsync(
                () -> {
                  write(response, "two");
                  async.complete();
                });
          }
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "one two");
    }
  }

  @InEachContainer
  void an_error_from_another_thread(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          CompletableFuture.runAsync(
              () -> {
                try {
                  ((HttpServletResponse) async.getResponse()).sendError(404, "no such \"thing\"");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                async.complete();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 404, "{\"status\":404,\"detail\":\"no such \\\"thing\\\"\"}");
    }
  }

  @InEachContainer
  void an_exception_in_a_dispatch(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            throw new IllegalStateException("after all");
          }
          AsyncContext async = request.startAsync(request, response);
          CompletableFuture.runAsync(async::dispatch);
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 500, "{\"status\":500}");
    }
  }

  @InEachContainer
  void an_exception_after_it_went_asynchronous(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          request.startAsync();
          throw new IllegalStateException("too early");
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 500, "{\"status\":500}");
    }
  }

  @InEachContainer
  void a_listener_that_answers_a_timeout_with_a_success_gives_the_answer(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(200);
          async.addListener(
              new Listener() {
                @Override
                public void onTimeout(AsyncEvent event) {
                  write((HttpServletResponse) async.getResponse(), "timed out");
                  event.getAsyncContext().complete();
                }
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 201, "timed out");
    }
  }

  @InEachContainer
  void text_is_a_listeners_answer_too(Containers kind) throws Exception {
    Handler handler =
        timingOut(
            async -> {
              try {
                async.getResponse().getWriter().write("timed out");
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              async.complete();
            });
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 200, "timed out");
    }
  }

  private static OnceFilter.Builder releasingFailures(OnceFilter.Builder filter) {
    HttpPolicy policy =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.onFailure(OnEnd.RELEASE))));
    return filter.policies(any -> policy);
  }

  /** As filters do that let requests wait, or ask somebody else who it is. */
  @InEachContainer
  void a_filter_outside_may_go_asynchronous_before_this_one_sees_the_request(Containers kind)
      throws Exception {
    Filter outside =
        (request, response, chain) -> {
          if (request.getDispatcherType() == DispatcherType.REQUEST) {
            AsyncContext async = request.startAsync(request, response);
            async.start(async::dispatch);
          } else {
            chain.doFilter(request, response);
          }
        };
    AtomicInteger runs = new AtomicInteger();
    Handler handler = (request, response) -> write(response, "run " + runs.incrementAndGet());
    try (Server server = Server.start(kind, List.of(outside), handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("run 1");
      assertThat(server.post("k1", "{}").body()).isEqualTo("run 1");
    }
  }

  /** A listener that answers the timeout of a handler that goes on. */
  private static Handler timingOut(Consumer<AsyncContext> answer) {
    return (request, response) -> {
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        response.setStatus(503);
        return;
      }
      AsyncContext async = request.startAsync(request, response);
      async.setTimeout(200);
      async.addListener(
          new Listener() {
            @Override
            public void onTimeout(AsyncEvent event) {
              answer.accept(event.getAsyncContext());
            }
          });
    };
  }

  private static Consumer<AsyncContext> completing(int status) {
    return async -> {
      ((HttpServletResponse) async.getResponse()).setStatus(status);
      async.complete();
    };
  }

  /** What still runs must not run twice, whether the policy keeps failures or releases them. */
  @InEachContainer
  void a_listener_that_answers_a_timeout_with_a_failure_leaves_the_key_taken(Containers kind)
      throws Exception {
    for (Handler handler : List.of(timingOut(completing(503)), timingOut(AsyncContext::dispatch))) {
      try (Server server = Server.start(kind, AsyncTest::releasingFailures, handler)) {
        assertTimedOut(server, 503);
      }
      try (Server server = Server.start(kind, handler)) {
        assertTimedOut(server, 503);
      }
    }
  }

  /** As Spring's does for what it has begun to stream: the status is still that of a success. */
  @InEachContainer
  void half_an_answer_that_timed_out_is_neither_recorded_nor_sent_as_a_whole_one(Containers kind)
      throws Exception {
    for (Handler late : List.of(timingOut(completing(200)), timingOut(AsyncContext::dispatch))) {
      Handler handler =
          (request, response) -> {
            if (request.getDispatcherType() != DispatcherType.ASYNC) {
              response.getOutputStream().write("half".getBytes(StandardCharsets.UTF_8));
              response.flushBuffer();
            }
            late.handle(request, response);
          };
      try (Server server = Server.start(kind, handler)) {
        assertTimedOut(server, 409);
      }
    }
  }

  @InEachContainer
  void a_listener_that_completes_a_timeout_without_a_word_has_not_answered(Containers kind)
      throws Exception {
    try (Server server = Server.start(kind, timingOut(AsyncContext::complete))) {
      assertTimedOut(server, 409);
    }
  }

  /** It may be half of one. */
  @InEachContainer
  void what_a_handler_wrote_before_a_listener_completes_its_timeout_is_not_the_answer(
      Containers kind) throws Exception {
    Handler late = timingOut(AsyncContext::complete);
    Handler handler =
        (request, response) -> {
          response.getOutputStream().write("half".getBytes(StandardCharsets.UTF_8));
          late.handle(request, response);
        };
    try (Server server = Server.start(kind, handler)) {
      assertTimedOut(server, 409);
    }
  }

  @InEachContainer
  void a_listener_that_answers_a_timeout_with_not_now_does_not_free_the_key(Containers kind)
      throws Exception {
    try (Server server = Server.start(kind, timingOut(completing(429)))) {
      assertTimedOut(server, 429);
    }
  }

  @InEachContainer
  void a_listener_that_says_itself_that_a_retry_may_run_frees_the_key(Containers kind)
      throws Exception {
    Handler handler =
        timingOut(
            async -> {
              OnceFilter.notNow(async.getRequest());
              completing(503).accept(async);
            });
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
      assertThat(server.runs()).isEqualTo(2);
    }
  }

  /** The client has what the listener said, and nobody knows what the handler did. */
  private static void assertTimedOut(Server server, int status) throws Exception {
    assertThat(server.post("k1", "{}").statusCode()).isEqualTo(status);
    HttpResponse<String> retry = server.post("k1", "{}");
    assertThat(retry.statusCode()).isEqualTo(409);
    assertThat(retry.body()).contains("still-running");
    assertThat(server.runs()).isOne();
  }

  @InEachContainer
  void an_answer_after_the_timeout_is_recorded_as_the_handler_made_it(Containers kind)
      throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          HttpServletResponse held = (HttpServletResponse) async.getResponse();
          async.setTimeout(200);
          CompletableFuture.runAsync(
              () -> {
                await(timedOut);
                held.setContentType("text/plain;charset=iso-8859-1");
                held.setDateHeader("Last-Modified", 0);
                held.setLocale(Locale.GERMANY);
                try {
                  held.getWriter().print("ä");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                held.setContentType("text/html"); // its charset is settled
                async.complete();
                ended.countDown();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      timedOut.countDown();
      await(ended);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.headers().firstValue("Content-Type").orElse("none"))
          .isEqualToIgnoringCase("text/html;charset=iso-8859-1");
      assertThat(retry.headers().firstValue("Content-Length")).hasValue("1");
      assertThat(retry.body()).isEqualTo("ä");
      assertThat(retry.headers().firstValue("Last-Modified"))
          .hasValue("Thu, 01 Jan 1970 00:00:00 GMT");
      assertThat(retry.headers().firstValue("Content-Language")).hasValue("de-DE");
    }
  }

  @InEachContainer
  void text_after_the_timeout_names_its_charset(Containers kind) throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          HttpServletResponse held = (HttpServletResponse) async.getResponse();
          async.setTimeout(200);
          CompletableFuture.runAsync(
              () -> {
                await(timedOut);
                held.setContentType("text/plain");
                held.setCharacterEncoding("utf-16be");
                try {
                  held.getWriter().print("€");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                async.complete();
                ended.countDown();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      timedOut.countDown();
      await(ended);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.headers().firstValue("Content-Type").orElse("none"))
          .isEqualToIgnoringCase("text/plain;charset=utf-16be");
      assertThat(retry.body()).isEqualTo("€");
    }
  }

  @InEachContainer
  void a_timeout_that_nobody_answers_leaves_the_operation_running(Containers kind)
      throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          HttpServletResponse held = (HttpServletResponse) async.getResponse();
          async.setTimeout(200);
          CompletableFuture.runAsync(
              () -> {
                await(timedOut);
                write(held, "late");
                async.complete();
                ended.countDown();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).contains("upstream-timeout");
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(409);

      timedOut.countDown();
      await(ended);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("late");
      assertThat(retry.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_write_listener_writes_the_answer(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          response.setContentType("text/plain;charset=utf-8");
          ServletOutputStream out = response.getOutputStream();
          out.setWriteListener(
              new WriteListener() {
                private int left = 1000;

                @Override
                public void onWritePossible() throws IOException {
                  while (out.isReady()) {
                    if (left-- == 0) {
                      async.complete();
                      return;
                    }
                    out.print("0123456789");
                  }
                }

                @Override
                public void onError(Throwable failure) {
                  async.complete();
                }
              });
        };
    try (Server server = Server.start(kind, handler)) {
      assertOnce(server, 200, "0123456789".repeat(1000));
    }
  }

  @InEachContainer
  void a_read_listener_reads_the_request(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          ServletInputStream in = request.getInputStream();
          ByteArrayOutputStream body = new ByteArrayOutputStream();
          in.setReadListener(
              new ReadListener() {
                @Override
                public void onDataAvailable() throws IOException {
                  byte[] piece = new byte[3];
                  while (in.isReady() && !in.isFinished()) {
                    int count = in.read(piece);
                    body.write(piece, 0, count);
                  }
                }

                @Override
                public void onAllDataRead() {
                  write(response, "read " + body.toString(StandardCharsets.UTF_8));
                  async.complete();
                }

                @Override
                public void onError(Throwable failure) {
                  async.complete();
                }
              });
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{\"a\":12345}");
      assertThat(first.body()).isEqualTo("read {\"a\":12345}");
      assertThat(server.post("k1", "{\"a\":12345}").body()).isEqualTo(first.body());
      assertThat(server.runs()).isOne();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private abstract static class Listener implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }

  /** Nobody else would tell it: the request would hang until its timeout. */
  @InEachContainer
  void a_write_listener_that_throws_an_Error_is_told_of_it(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(0);
          response
              .getOutputStream()
              .setWriteListener(
                  new WriteListener() {
                    @Override
                    public void onWritePossible() {
                      throw new AssertionError("a listener's");
                    }

                    @Override
                    public void onError(Throwable failure) {
                      response.setStatus(503);
                      async.complete();
                    }
                  });
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
    }
  }

  @InEachContainer
  void a_read_listener_that_throws_an_Error_is_told_of_it(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(0);
          request
              .getInputStream()
              .setReadListener(
                  new ReadListener() {
                    @Override
                    public void onDataAvailable() {
                      throw new AssertionError("a listener's");
                    }

                    @Override
                    public void onAllDataRead() {}

                    @Override
                    public void onError(Throwable failure) {
                      response.setStatus(503);
                      async.complete();
                    }
                  });
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
    }
  }
}
