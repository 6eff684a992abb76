package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.NotRunException;
import dev.once.core.Policy.OnEnd;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.UnavailableException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a retry of a request gets that ended in an error: what the first one got. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ErrorTest {

  private final AtomicInteger pages = new AtomicInteger();

  /** The handler, and an error page that never says the same twice. */
  private Handler withPage(Handler handler) {
    return (request, response) -> {
      if (request.getDispatcherType() == DispatcherType.ERROR) {
        response.setContentType("text/plain;charset=utf-8");
        response
            .getWriter()
            .print(
                "page %d: %s %s %s"
                    .formatted(
                        pages.incrementAndGet(),
                        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE),
                        request.getAttribute(RequestDispatcher.ERROR_MESSAGE),
                        request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null));
      } else {
        handler.handle(request, response);
      }
    };
  }

  private Server withErrorPage(Containers kind, Handler handler) throws Exception {
    return Server.start(
        kind, new MemoryStore(), f -> f.errorPages(true), "/error", null, withPage(handler));
  }

  private static HttpResponse<String> assertReplayed(Server server) throws Exception {
    HttpResponse<String> first = server.post("k1", "{}");
    HttpResponse<String> second = server.post("k1", "{}");
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(second.statusCode()).isEqualTo(first.statusCode());
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(contentType(second)).isEqualTo(contentType(first));
    assertThat(server.runs()).isOne();
    return first;
  }

  /** A space in it says nothing, and Undertow drops it. */
  private static String contentType(HttpResponse<String> response) {
    return response.headers().firstValue("Content-Type").orElse("none").replace("; ", ";");
  }

  private static void assertRunsAgain(Server server, int status) throws Exception {
    assertThat(server.post("k1", "{}").statusCode()).isEqualTo(status);
    HttpResponse<String> second = server.post("k1", "{}");
    assertThat(second.statusCode()).isEqualTo(status);
    assertThat(second.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(server.runs()).isEqualTo(2);
  }

  @InEachContainer
  void an_error_without_an_error_page_is_explained(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setHeader("X-Kept", "yes");
          response.getWriter().print("dropped");
          response.sendError(404, "no such \"ördér\"");
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(404);
      assertThat(first.body())
          .isEqualTo("{\"status\":404,\"detail\":\"no such \\\"\\u00f6rd\\u00e9r\\\"\"}");
      assertThat(first.headers().firstValue("X-Kept")).hasValue("yes");
    }
  }

  @InEachContainer
  void an_exception_without_an_error_page_is_recorded_as_a_failure(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          response.setHeader("X-Dropped", "yes");
          response.getWriter().print("dropped");
          response.flushBuffer();
          throw new ServletException("secret");
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).isEqualTo("{\"status\":500}");
      assertThat(first.headers().firstValue("X-Dropped")).isEmpty();
    }
  }

  @InEachContainer
  void what_an_error_page_says_is_recorded(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setHeader("X-Kept", "yes");
          response.sendError(404, "gone");
        };
    try (Server server = withErrorPage(kind, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(404);
      assertThat(first.body()).isEqualTo("page 1: 404 gone false");
      assertThat(first.headers().firstValue("X-Kept")).hasValue("yes");
    }
  }

  @InEachContainer
  void what_an_error_page_says_of_an_exception_is_recorded(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          throw new IllegalStateException("broken");
        };
    try (Server server = withErrorPage(kind, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).startsWith("page 1: 500 ").endsWith(" true");
    }
  }

  @InEachContainer
  void an_error_page_after_an_asynchronous_dispatch_is_recorded(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.sendError(409, "taken");
          } else {
            request.startAsync(request, response).dispatch();
          }
        };
    try (Server server = withErrorPage(kind, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.body()).isEqualTo("page 1: 409 taken false");
    }
  }

  @InEachContainer
  void an_error_page_that_fails_is_explained(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ERROR) {
            throw new IllegalStateException("the page too");
          }
          response.sendError(404);
        };
    try (Server server =
        Server.start(kind, new MemoryStore(), f -> f.errorPages(true), "/error", null, handler)) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(500);
    }
  }

  @InEachContainer
  void a_filter_that_was_told_of_an_error_page_that_is_not_there_records_the_status(Containers kind)
      throws Exception {
    UnaryOperator<OnceFilter.Builder> settings =
        f -> f.errorPages(true).errorPageTimeout(Duration.ofMillis(50));
    Handler handler = (request, response) -> response.sendError(404);
    try (Server server = Server.start(kind, settings, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(404);
      HttpResponse<String> retry = server.post("k1", "{}");
      while (retry.statusCode() == 409) {
        retry = server.post("k1", "{}");
      }
      assertThat(retry.statusCode()).isEqualTo(404);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_failure_that_the_policy_does_not_keep_runs_again(Containers kind) throws Exception {
    HttpPolicy released =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.onFailure(OnEnd.RELEASE))));
    Handler handler =
        (request, response) -> {
          throw new IllegalStateException("broken");
        };
    try (Server server = Server.start(kind, f -> f.policies(any -> released), handler)) {
      assertRunsAgain(server, 500);
    }
  }

  @InEachContainer
  void a_handler_that_says_that_it_did_not_run_runs_again(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          throw new ServletException(new NotRunException("no connection"));
        };
    try (Server server = Server.start(kind, handler)) {
      assertRunsAgain(server, 500);
    }
  }

  @InEachContainer
  void an_answer_that_is_not_about_the_operation_runs_again(Containers kind) throws Exception {
    try (Server server = Server.start(kind, (request, response) -> response.setStatus(429))) {
      assertRunsAgain(server, 429);
    }
    try (Server server =
        Server.start(kind, (request, response) -> response.sendError(401, "who are you"))) {
      assertRunsAgain(server, 401);
    }
  }

  @InEachContainer
  void a_redirect_is_replayed(Containers kind) throws Exception {
    try (Server server =
        Server.start(kind, (request, response) -> response.sendRedirect("done?id=1"))) {
      HttpResponse<String> first = assertReplayed(server);
      assertThat(first.statusCode()).isEqualTo(302);
      assertThat(first.headers().firstValue("Location")).hasValue("/done?id=1");
    }
  }

  @InEachContainer
  void what_fails_before_the_handler_does_not_take_the_key(Containers kind) throws Exception {
    AtomicBoolean broken = new AtomicBoolean(true);
    Filter outside =
        (request, response, chain) ->
            chain.doFilter(
                request,
                new HttpServletResponseWrapper((HttpServletResponse) response) {
                  @Override
                  public Collection<String> getHeaderNames() {
                    if (broken.getAndSet(false)) {
                      throw new UnsupportedOperationException("a wrapper's");
                    }
                    return super.getHeaderNames();
                  }
                });
    try (Server server =
        Server.start(kind, List.of(outside), (request, response) -> response.setStatus(201))) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(201);
      assertThat(server.runs()).isOne();
    }
  }

  /** Undertow answers that itself, past the filter; to the others it is an exception. */
  @ParameterizedTest(name = "{displayName} [{0}]")
  @EnumSource(names = "UNDERTOW")
  void a_servlet_that_is_unavailable_is_no_success(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          throw new UnavailableException("not yet", 1);
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(503);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(503);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }
  }

  @InEachContainer
  void a_cookie_that_comes_before_an_error_is_given_with_it(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.addCookie(new Cookie("basket", "kept"));
          response.sendError(409, "taken");
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.headers().allValues("Set-Cookie")).hasSize(1);
      assertThat(first.headers().firstValue("Set-Cookie").orElseThrow()).startsWith("basket=kept");
    }
  }

  /** Undertow keeps cookies through a reset. */
  @InEachContainer
  void a_cookie_of_an_answer_that_is_not_given_is_not_given(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.addCookie(new Cookie("token", "secret"));
          throw new AssertionError("nobody knows");
        };
    try (Server server = Server.start(kind, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.headers().firstValue("Set-Cookie")).isEmpty();
    }
  }

  /** As classes in Kotlin, Scala and Groovy do. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @InEachContainer
  void a_checked_exception_that_nobody_declares_is_recorded_as_a_failure(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) ->
            ErrorTest.<RuntimeException>throwUndeclared(new SQLException("no such table"));
    try (Server server = Server.start(kind, handler)) {
      assertThat(assertReplayed(server).statusCode()).isEqualTo(500);
    }
  }

  @InEachContainer
  void a_checked_exception_that_nobody_declares_is_a_failure_in_a_dispatch_too(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            ErrorTest.<RuntimeException>throwUndeclared(new SQLException("no such table"));
          }
          AsyncContext async = request.startAsync();
          CompletableFuture.runAsync(async::dispatch);
        };
    try (Server server = Server.start(kind, handler)) {
      assertThat(assertReplayed(server).statusCode()).isEqualTo(500);
    }
  }
}
