package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/**
 * A handler that goes on after its timeout calls what it always calls, though the container has
 * taken back its request and its response; and what it does while the timeout is told.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class LateCallsTest {

  private static final int TIMEOUT_SECONDS = 300;
  private static final int TIMEOUT_MILLIS = 200;

  @FunctionalInterface
  private interface Late {
    void run(HttpServletRequest request, HttpServletResponse response, AsyncContext async)
        throws Exception;
  }

  @FunctionalInterface
  private interface OnTimeout extends AsyncListener {
    @Override
    void onTimeout(AsyncEvent event) throws IOException;

    @Override
    default void onComplete(AsyncEvent event) {}

    @Override
    default void onError(AsyncEvent event) {}

    @Override
    default void onStartAsync(AsyncEvent event) {}
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CompletableFuture<Void> later(CountDownLatch when, Late late, AsyncContext async) {
    HttpServletRequest request = (HttpServletRequest) async.getRequest();
    HttpServletResponse response = (HttpServletResponse) async.getResponse();
    return CompletableFuture.runAsync(
        () -> {
          await(when);
          try {
            late.run(request, response, async);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** What a retry gets of a handler that does this after its timeout, and after other requests. */
  private static HttpResponse<String> afterTheTimeout(Containers kind, Late late) throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Handler handler =
        (request, response) -> {
          if (request.getMethod().equals("GET")) {
            response.setHeader("X-Other", "of another request");
            return;
          }
          AsyncContext async = request.startAsync();
          async.setTimeout(TIMEOUT_MILLIS);
          later(timedOut, late, async)
              .whenComplete(
                  (done, failure) -> {
                    if (failure == null) {
                      ended.complete(null);
                    } else {
                      ended.completeExceptionally(failure);
                    }
                  });
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.send(server.request("/other/path").GET()).statusCode()).isEqualTo(200);
      timedOut.countDown();
      ended.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return server.post("k1", "{}");
    }
  }

  /** Jetty gives the next request of a connection the same objects. */
  @InEachContainer
  void it_sees_its_own_request_and_never_the_next_users(Containers kind) throws Exception {
    CountDownLatch bobRuns = new CountDownLatch(1);
    CompletableFuture<String> seen = new CompletableFuture<>();
    Handler handler =
        (request, response) -> {
          if ("bob".equals(request.getHeader("X-User"))) {
            bobRuns.countDown();
            seen.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).handle((any, e) -> "").join();
            response.setStatus(201);
            return;
          }
          AsyncContext async = request.startAsync();
          async.setTimeout(TIMEOUT_MILLIS);
          later(bobRuns, (in, out, any) -> seen.complete(describe(in)), async)
              .exceptionally(
                  failure -> {
                    seen.complete(failure.toString());
                    return null;
                  });
        };
    try (Server server = Server.start(kind, handler);
        Socket connection = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      connection.setSoTimeout(TIMEOUT_SECONDS * 1000);
      assertThat(ask(connection, "alice")).startsWith("HTTP/1.1 500");
      String bob = ask(connection, "bob");
      if (bob.isEmpty()) { // Tomcat's connections are closed after a timeout
        bobRuns.countDown();
      } else {
        assertThat(bob).startsWith("HTTP/1.1 201");
        assertThat(ask(connection, "bob")).contains("Idempotent-Replayed");
      }
      assertThat(seen.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .isEqualTo("alice alice /alice p=alice 2 alic****0001");
    }
  }

  @InEachContainer
  void it_sees_what_filters_outside_have_put_around_its_request(Containers kind) throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    CompletableFuture<String> seen = new CompletableFuture<>();
    Filter vouching =
        (request, response, chain) ->
            chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                  @Override
                  public String getHeader(String name) {
                    return name.equals("X-User") ? "verified" : super.getHeader(name);
                  }
                },
                response);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(TIMEOUT_MILLIS);
          later(
              timedOut,
              (in, out, any) -> {
                in.getRequestURL().append("/changed");
                seen.complete(
                    in.getHeader("X-User")
                        + in.getDateHeader("X-Date")
                        + in.getIntHeader("X-Number")
                        + in.getRequestURL()
                        + in.getSession(false)
                        + in.getRemoteHost());
              },
              async);
        };
    try (Server server = Server.start(kind, List.of(vouching), handler)) {
      HttpResponse<String> first =
          server.send(
              server
                  .request("/orders")
                  .header("Idempotency-Key", "k1")
                  .header("X-User", "spoofed")
                  .header("X-Date", "Sunday, 06-Nov-94 08:49:37 GMT")
                  .header("X-Number", "7")
                  .POST(HttpRequest.BodyPublishers.ofString("{}")));
      assertThat(first.statusCode()).isEqualTo(500);
      timedOut.countDown();
      assertThat(seen.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .isEqualTo("verified7841117770007" + server.url("/orders") + "null127.0.0.1");
    }
  }

  /** And says "not now", of its own operation. */
  private static String describe(HttpServletRequest request) {
    String key = OnceFilter.execution(request).orElseThrow().operation().id().key().masked();
    OnceFilter.notNow(request);
    return String.join(
        " ",
        request.getHeader("x-user"),
        request.getParameter("p"),
        request.getRequestURI(),
        request.getQueryString(),
        String.valueOf(request.getIntHeader("Content-Length")),
        key);
  }

  /** The head of the reply; empty if the connection is closed. */
  private static String ask(Socket connection, String user) {
    String request =
        ("POST /%1$s?p=%1$s HTTP/1.1\r\nHost: localhost\r\nX-User: %1$s\r\n"
                + "Idempotency-Key: %1$s-key-0001\r\nContent-Length: 2\r\n\r\n{}")
            .formatted(user);
    StringBuilder head = new StringBuilder();
    try {
      connection.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = connection.getInputStream();
      int next;
      while (head.indexOf("\r\n\r\n") < 0 && (next = in.read()) >= 0) {
        head.append((char) next);
      }
      Matcher length = Pattern.compile("(?i)content-length: *(\\d+)").matcher(head);
      in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
    } catch (IOException e) {
      return "";
    }
    return head.toString();
  }

  @InEachContainer
  void it_gets_the_response_from_its_context(Containers kind) throws Exception {
    HttpResponse<String> retry =
        afterTheTimeout(
            kind,
            (request, response, async) -> {
              HttpServletResponse own = (HttpServletResponse) async.getResponse();
              own.setStatus(201);
              own.getOutputStream().print("same request " + (async.getRequest() == request));
              async.complete();
            });
    assertThat(retry.statusCode()).isEqualTo(201);
    assertThat(retry.body()).isEqualTo("same request true");
  }

  @InEachContainer
  void it_gets_its_context_from_the_request(Containers kind) throws Exception {
    HttpResponse<String> retry =
        afterTheTimeout(
            kind,
            (request, response, async) -> {
              response.setStatus(201);
              request.getAsyncContext().complete();
            });
    assertThat(retry.statusCode()).isEqualTo(201);
  }

  @InEachContainer
  void it_redirects(Containers kind) throws Exception {
    HttpResponse<String> retry =
        afterTheTimeout(
            kind,
            (request, response, async) -> {
              response.sendRedirect("done");
              async.complete();
            });
    assertThat(retry.statusCode()).isEqualTo(302);
    assertThat(retry.headers().firstValue("Location")).hasValue("/done");
  }

  @InEachContainer
  void it_asks_for_the_fields_that_it_has_set_and_sees_no_others(Containers kind) throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    HttpResponse<String> retry =
        afterTheTimeout(
            kind,
            (request, response, async) -> {
              response.setStatus(201);
              response.setHeader("X-Mine", "1");
              response.setContentType("text/plain;charset=utf-8");
              seen.complete(
                  String.join(
                      " ",
                      response.getHeader("X-Mine"),
                      String.valueOf(response.containsHeader("X-Mine")),
                      response.getHeaders("X-Mine").toString(),
                      response.getContentType(),
                      response.getCharacterEncoding(),
                      response.getHeaderNames().stream().sorted().toList().toString(),
                      response.getHeader("X-Other")));
              async.complete();
            });
    assertThat(retry.statusCode()).isEqualTo(201);
    assertThat(seen.get())
        .isEqualToIgnoringCase(
            "1 true [1] text/plain;charset=utf-8 utf-8 [Content-Type, X-Mine] null");
  }

  /** The client must not have a success that no retry gets. */
  @InEachContainer
  void a_success_that_comes_while_a_listener_answers_the_timeout_is_not_sent_unrecorded(
      Containers kind) throws Exception {
    CountDownLatch abandoned = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    OnceListener listener =
        new OnceListener() {
          @Override
          public void abandoned(Execution execution) {
            abandoned.countDown();
            await(written);
          }
        };
    OnTimeout sorry =
        event -> {
          HttpServletResponse response = (HttpServletResponse) event.getSuppliedResponse();
          response.setStatus(503);
          response.getOutputStream().print("sorry");
          event.getAsyncContext().complete();
        };
    Late charged =
        (request, response, async) -> {
          response.resetBuffer();
          response.setStatus(201);
          response.getOutputStream().print("charged");
          written.countDown();
        };
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(TIMEOUT_MILLIS);
          async.addListener(sorry, request, response);
          later(abandoned, charged, async);
        };
    try (Server server = Server.start(kind, listener, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).as(first.body()).isBetween(400, 599);
      assertThat(first.body()).doesNotContain("charged");
    }
  }

  /** Jetty takes no dispatch any more, the others do. */
  @InEachContainer
  void a_dispatch_while_listeners_are_told_of_the_timeout_ends_the_operation_once(Containers kind)
      throws Exception {
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch telling = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    OnceListener listener =
        new OnceListener() {
          private void end() {
            ends.incrementAndGet();
            ended.countDown();
          }

          @Override
          public void ended(Execution execution, Result result) {
            end();
          }

          @Override
          public void released(Execution execution) {
            end();
          }

          @Override
          public void abandoned(Execution execution) {
            end();
          }
        };
    OnTimeout waiting =
        event -> {
          telling.countDown();
          await(tried);
        };
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.setStatus(201);
            return;
          }
          AsyncContext async = request.startAsync(request, response);
          async.setTimeout(TIMEOUT_MILLIS);
          async.addListener(waiting);
          later(telling, (in, out, context) -> context.dispatch(), async)
              .whenComplete((done, failure) -> tried.countDown());
        };
    try (Server server = Server.start(kind, listener, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isIn(201, 500);
      await(ended);
    }
    assertThat(ends).hasValue(1);
  }
}
