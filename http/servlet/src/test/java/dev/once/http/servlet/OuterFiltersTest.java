package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Container.Application;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/**
 * Filters outside change what this one is given, and have what it gives in an asynchronous
 * dispatch.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class OuterFiltersTest {

  private static final int TIMEOUT_SECONDS = 300;
  private static final String PUT_BEFORE = "unpacked: ";

  /** Goes asynchronous, and answers after a dispatch back, as Spring does it. */
  private static final Handler DISPATCHING =
      (request, response) -> {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
          response.setStatus(201);
          response.getOutputStream().print("charged");
        } else {
          request.startAsync().dispatch();
        }
      };

  /** Counts operations whose outcome nobody knows. */
  private static final class Abandoned implements OnceListener {
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch first = new CountDownLatch(1);

    @Override
    public void abandoned(Execution execution) {
      count.incrementAndGet();
      first.countDown();
    }

    void assertOnce() throws InterruptedException {
      assertThat(first.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(count).hasValue(1);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static HttpResponse<String> post(Server server, @Nullable String key, String body)
      throws Exception {
    HttpRequest.Builder request =
        server
            .request("/orders")
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString(body));
    return server.send(key == null ? request : request.header("Idempotency-Key", key));
  }

  private static void assertStillRunning(HttpResponse<String> retry) {
    assertThat(retry.statusCode()).as(retry.body()).isEqualTo(409);
    assertThat(retry.body()).contains("still-running");
  }

  // Bodies that they unpack.

  /** As most of those that unpack or decrypt, it leaves the Content-Length alone. */
  private static final Filter UNPACKING =
      (request, response, chain) ->
          chain.doFilter(new Unpacked((HttpServletRequest) request), response);

  private static final class Unpacked extends HttpServletRequestWrapper {
    private @Nullable ServletInputStream stream;

    Unpacked(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (stream == null) {
        byte[] before = PUT_BEFORE.getBytes(StandardCharsets.US_ASCII);
        InputStream all =
            new SequenceInputStream(new ByteArrayInputStream(before), super.getInputStream());
        stream =
            new ServletInputStream() {
              @Override
              public int read() throws IOException {
                return all.read();
              }

              @Override
              public int read(byte[] to, int offset, int length) throws IOException {
                return all.read(to, offset, length);
              }

              @Override
              public boolean isFinished() {
                return false;
              }

              @Override
              public boolean isReady() {
                return true;
              }

              @Override
              public void setReadListener(ReadListener listener) {}
            };
      }
      return stream;
    }
  }

  private static final Handler ECHO =
      (request, response) ->
          response.getOutputStream().write(request.getInputStream().readAllBytes());

  @InEachContainer
  void a_body_that_one_of_them_unpacks_is_read_to_its_end(Containers kind) throws Exception {
    try (Server server = Server.start(kind, List.of(UNPACKING), ECHO)) {
      assertThat(post(server, null, "AAAA").body()).isEqualTo("unpacked: AAAA");
      assertThat(post(server, "k1", "AAAA").body()).isEqualTo("unpacked: AAAA");
    }
  }

  @InEachContainer
  void bodies_that_begin_alike_when_they_are_unpacked_are_told_apart(Containers kind)
      throws Exception {
    try (Server server = Server.start(kind, List.of(UNPACKING), ECHO)) {
      assertThat(post(server, "k1", "AAAA").statusCode()).isEqualTo(200);
      assertThat(post(server, "k1", "BBBB").statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_body_that_is_over_the_limit_when_it_is_unpacked_is_refused(Containers kind)
      throws Exception {
    HttpPolicy small = HttpPolicy.DEFAULT.with(p -> p.maxRequestBody(PUT_BEFORE.length() + 3));
    try (Server server =
        Server.start(
            kind, new MemoryStore(), f -> f.policies(any -> small), List.of(UNPACKING), ECHO)) {
      assertThat(post(server, "k1", "AAA").statusCode()).isEqualTo(200);
      assertThat(post(server, "k2", "AAAA").statusCode()).isEqualTo(413);
      assertThat(server.runs()).isOne();
    }
  }

  /** As Spring's filter for hidden methods: the container has parsed the form of a POST. */
  @InEachContainer
  void a_form_whose_method_one_of_them_changes_is_known_by_its_parameters(Containers kind)
      throws Exception {
    Filter hidden =
        (request, response, chain) -> {
          String method = request.getParameter("_method");
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public String getMethod() {
                  return method;
                }
              },
              response);
        };
    Handler handler =
        (request, response) ->
            response
                .getOutputStream()
                .print(request.getMethod() + " " + request.getParameter("amount"));
    try (Server server = Server.start(kind, List.of(hidden), handler)) {
      assertThat(form(server, "_method=PATCH&amount=7").body()).isEqualTo("PATCH 7");
      assertThat(form(server, "amount=7&_method=PATCH").body()).isEqualTo("PATCH 7");
      assertThat(form(server, "_method=PATCH&amount=8").statusCode()).isEqualTo(422);
      assertThat(server.runs()).isOne();
    }
  }

  private static HttpResponse<String> form(Server server, String body) throws Exception {
    return server.send(
        server
            .request("/orders")
            .header("Idempotency-Key", "k1")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(body)));
  }

  // Wrappers of theirs.

  /** As those of gzip filters: it knows one way to write, and no reset makes it forget that. */
  private static final class RemembersItsWriter extends HttpServletResponseWrapper {
    private @Nullable PrintWriter writer;

    RemembersItsWriter(HttpServletResponse response) {
      super(response);
    }

    @Override
    public PrintWriter getWriter() throws IOException {
      if (writer == null) {
        writer = super.getWriter();
      }
      return writer;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      if (writer != null) {
        throw new IllegalStateException("getWriter: was called");
      }
      return super.getOutputStream();
    }
  }

  private static final Filter WITH_A_WRITER =
      (request, response, chain) ->
          chain.doFilter(request, new RemembersItsWriter((HttpServletResponse) response));

  @InEachContainer
  void an_error_goes_out_through_a_wrapper_that_remembers_its_writer(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          response.getWriter().print("half");
          response.sendError(409, "taken");
        };
    try (Server server = Server.start(kind, List.of(WITH_A_WRITER), handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.body()).isEqualTo("{\"status\":409,\"detail\":\"taken\"}");
      assertThat(server.post("k1", "{}").body()).isEqualTo(first.body());
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_refusal_goes_out_through_a_wrapper_that_remembers_its_writer(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          response.getWriter().print("half");
          throw new AssertionError("nobody knows");
        };
    try (Server server = Server.start(kind, List.of(WITH_A_WRITER), handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.body()).contains("outcome-unknown").doesNotContain("half");
    }
  }

  private static final class Marked extends HttpServletResponseWrapper {
    Marked(HttpServletResponse response) {
      super(response);
    }

    static boolean isIn(ServletResponse response) {
      ServletResponse at = response;
      while (at instanceof ServletResponseWrapper wrapper && !(at instanceof Marked)) {
        at = wrapper.getResponse();
      }
      return at instanceof Marked;
    }
  }

  /** As Spring's ShallowEtagHeaderFilter, and filters that log what was answered. */
  @InEachContainer
  void in_an_asynchronous_dispatch_they_find_their_own_wrapper_before_the_chain_and_after(
      Containers kind) throws Exception {
    Filter outside =
        (request, response, chain) -> {
          if (request.getDispatcherType() == DispatcherType.REQUEST) {
            chain.doFilter(request, new Marked((HttpServletResponse) response));
            return;
          }
          if (!Marked.isIn(response)) {
            throw new ServletException("its wrapper: not found before the chain");
          }
          chain.doFilter(request, response);
          if (!Marked.isIn(response)) {
            throw new ServletException("its wrapper: not found after the chain");
          }
        };
    try (Server server = Server.start(kind, List.of(outside), DISPATCHING)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("charged");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("charged");
    }
  }

  @InEachContainer
  void what_fails_in_one_of_them_before_the_chain_runs_leaves_the_key_free(Containers kind)
      throws Exception {
    AtomicInteger requests = new AtomicInteger();
    Filter outside =
        (request, response, chain) -> {
          boolean refuses = requests.getAndIncrement() == 0;
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public void setAttribute(String name, Object value) {
                  if (refuses && value instanceof ServletExchange) {
                    throw new IllegalArgumentException("not serializable: " + name);
                  }
                  super.setAttribute(name, value);
                }
              },
              response);
        };
    Handler handler = (request, response) -> response.getOutputStream().print("ran");
    try (Server server = Server.start(kind, List.of(outside), handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.runs()).isZero();
      assertThat(server.post("k1", "{}").body()).isEqualTo("ran");
    }
  }

  // What they say and do in an asynchronous dispatch.

  @InEachContainer
  void what_they_add_in_an_asynchronous_dispatch_is_theirs_with_each_request(Containers kind)
      throws Exception {
    AtomicInteger number = new AtomicInteger();
    Filter outside =
        (request, response, chain) -> {
          ((HttpServletResponse) response)
              .setHeader("X-Request-Id", String.valueOf(number.incrementAndGet()));
          chain.doFilter(request, response);
        };
    try (Server server = Server.start(kind, List.of(outside), DISPATCHING)) {
      assertThat(server.post("k1", "{}").headers().allValues("X-Request-Id")).containsExactly("2");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(retry.headers().allValues("X-Request-Id")).containsExactly("3");
    }
  }

  @InEachContainer
  void what_one_of_them_answers_to_an_exception_in_an_asynchronous_dispatch_is_sent_and_recorded(
      Containers kind) throws Exception {
    Filter teapot =
        (request, response, chain) -> {
          try {
            chain.doFilter(request, response);
          } catch (ServletException | RuntimeException e) {
            ((HttpServletResponse) response).setStatus(418);
            response.getWriter().print("teapot");
            OnceFilter.answeredOutside(request, 418);
          }
        };
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            throw new IllegalStateException("broken");
          }
          DISPATCHING.handle(request, response);
        };
    try (Server server =
        Server.start(kind, new MemoryStore(), f -> f.errorPages(true), List.of(teapot), handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(418);
      assertThat(first.body()).isEqualTo("teapot");
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(418);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(server.runs()).isOne();
    }
  }

  /** Does this in place of an asynchronous dispatch. */
  private static Filter inPlaceOfDispatches(Filter does) {
    return (request, response, chain) -> {
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        does.doFilter(request, response, chain);
      } else {
        chain.doFilter(request, response);
      }
    };
  }

  /** The handler has run, its answer never came to be, and what is there is no answer of its. */
  private static void assertUnknown(Containers kind, Filter outside, Handler handler)
      throws Exception {
    Abandoned abandoned = new Abandoned();
    try (Server server = Server.start(kind, abandoned, List.of(outside), handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).as(first.body()).isBetween(400, 599);
      abandoned.assertOnce();
      assertStillRunning(server.post("k1", "{}"));
      assertThat(server.runs()).isOne();
    }
    abandoned.assertOnce();
  }

  @InEachContainer
  void a_dispatch_that_fails_in_one_of_them_is_not_recorded(Containers kind) throws Exception {
    Filter failing =
        inPlaceOfDispatches(
            (request, response, chain) -> {
              throw new ServletException("denied");
            });
    assertUnknown(kind, failing, DISPATCHING);
  }

  @InEachContainer
  void a_dispatch_that_one_of_them_refuses_by_an_error_is_not_recorded(Containers kind)
      throws Exception {
    Filter refusing =
        inPlaceOfDispatches(
            (request, response, chain) -> ((HttpServletResponse) response).sendError(403));
    assertUnknown(kind, refusing, DISPATCHING);
  }

  @InEachContainer
  void a_dispatch_that_one_of_them_answers_itself_is_not_recorded(Containers kind)
      throws Exception {
    Filter answering =
        inPlaceOfDispatches(
            (request, response, chain) -> {
              ((HttpServletResponse) response).setStatus(403);
              response.getWriter().print("denied");
            });
    assertUnknown(kind, answering, DISPATCHING);
  }

  /** As in a thread local of theirs. */
  @InEachContainer
  void an_asynchronous_start_on_a_request_of_theirs_is_no_empty_success(Containers kind)
      throws Exception {
    AtomicReference<ServletRequest> theirs = new AtomicReference<>();
    CountDownLatch returned = new CountDownLatch(1);
    Filter outside =
        (request, response, chain) -> {
          if (returned.getCount() > 0) {
            theirs.set(request);
          }
          chain.doFilter(request, response);
          returned.countDown();
        };
    Handler handler =
        (request, response) -> {
          AsyncContext async = theirs.get().startAsync(request, response);
          CompletableFuture.runAsync(
              () -> {
                await(returned);
                async.complete();
              });
        };
    assertUnknown(kind, outside, handler);
  }

  // Forwards.

  private static HttpResponse<String> post(Container container) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/orders"))
            .header("Idempotency-Key", "k1")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  /** First and second time the same, in filters that are registered for FORWARD too. */
  private static void assertOnce(Containers kind, List<Filter> outside, Handler handler)
      throws Exception {
    AtomicInteger effects = new AtomicInteger();
    Handler counting =
        (request, response) -> {
          response.setHeader("X-Effect", String.valueOf(effects.incrementAndGet()));
          handler.handle(request, response);
        };
    try (MemoryStore store = new MemoryStore();
        Once once = Once.builder(store).build()) {
      List<Filter> filters = new ArrayList<>(outside);
      filters.add(OnceFilter.builder(once).build());
      Application application =
          new Application(
              filters,
              EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.FORWARD),
              new Handler.Counting(counting),
              null,
              null);
      try (Container container = kind.start(application)) {
        HttpResponse<String> first = post(container);
        assertThat(first.statusCode()).isEqualTo(200);
        HttpResponse<String> retry = post(container);
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(retry.headers().firstValue("X-Effect"))
            .isEqualTo(first.headers().firstValue("X-Effect"));
        assertThat(retry.body()).isEqualTo(first.body());
      }
    }
  }

  private static void rewrite(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (((HttpServletRequest) request).getRequestURI().equals("/orders")) {
      request.getRequestDispatcher("/v1/orders").forward(request, response);
    } else {
      chain.doFilter(request, response);
    }
  }

  @InEachContainer
  void a_request_that_one_of_them_forwards_runs_once_if_this_one_is_registered_for_that(
      Containers kind) throws Exception {
    assertOnce(
        kind,
        List.of(OuterFiltersTest::rewrite),
        (request, response) -> response.getOutputStream().print(request.getRequestURI()));
  }

  @InEachContainer
  void a_handler_that_forwards_is_one_operation_though_this_one_is_registered_for_that(
      Containers kind) throws Exception {
    assertOnce(
        kind,
        List.of(),
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.FORWARD) {
            response.getOutputStream().print("target");
          } else {
            request.getRequestDispatcher("/target").forward(request, response);
          }
        });
  }
}
