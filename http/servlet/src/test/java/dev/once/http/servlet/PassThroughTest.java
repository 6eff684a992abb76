package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Once;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import dev.once.http.servlet.Container.Application;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** What is not under a key is not touched; and how the filter stands among others. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class PassThroughTest {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HttpResponse<String> send(Container container, String method, @Nullable String key)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/orders"))
            .method(method, BodyPublishers.ofString(method.equals("HEAD") ? "" : "{}"));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  @InEachContainer
  void what_is_not_in_scope_reaches_the_servlet_as_the_very_same_objects(Containers kind)
      throws Exception {
    AtomicReference<ServletRequest> outerRequest = new AtomicReference<>();
    AtomicReference<ServletResponse> outerResponse = new AtomicReference<>();
    AtomicReference<Boolean> same = new AtomicReference<>();
    Filter outer =
        (request, response, chain) -> {
          outerRequest.set(request);
          outerResponse.set(response);
          chain.doFilter(request, response);
        };
    Filter inner =
        (request, response, chain) -> {
          same.set(request == outerRequest.get() && response == outerResponse.get());
          chain.doFilter(request, response);
        };
    Handler handler = (request, response) -> response.setHeader("X-Length", "12");
    try (Once once = Once.builder(new MemoryStore()).build();
        Container container =
            kind.start(
                new Application(
                    List.of(outer, OnceFilter.builder(once).build(), inner),
                    new Handler.Counting(handler),
                    null,
                    null))) {
      for (String method : List.of("GET", "PUT", "DELETE", "HEAD")) {
        assertThat(send(container, method, "k1").statusCode()).isEqualTo(200);
        assertThat(same.get()).as(method + " with a key").isTrue();
      }
      assertThat(send(container, "POST", null).statusCode()).isEqualTo(200);
      assertThat(same.get()).as("POST without a key").isTrue();
      assertThat(send(container, "POST", "k1").statusCode()).isEqualTo(200);
      assertThat(same.get()).as("POST with a key").isFalse();
    }
  }

  @InEachContainer
  void what_other_filters_add_outside_is_theirs_with_each_request(Containers kind)
      throws Exception {
    AtomicInteger number = new AtomicInteger();
    Filter outer =
        (request, response, chain) -> {
          HttpServletResponse out = (HttpServletResponse) response;
          out.setHeader("X-Request-Id", String.valueOf(number.incrementAndGet()));
          out.addHeader("Vary", "Origin");
          chain.doFilter(request, response);
        };
    Handler handler =
        (request, response) -> {
          response.addHeader("Vary", "Accept");
          response.getOutputStream().print("done");
        };
    try (Once once = Once.builder(new MemoryStore()).build();
        Container container =
            kind.start(
                new Application(
                    List.of(outer, OnceFilter.builder(once).build()),
                    new Handler.Counting(handler),
                    null,
                    null))) {
      HttpResponse<String> first = send(container, "POST", "k1");
      HttpResponse<String> second = send(container, "POST", "k1");
      assertThat(first.headers().allValues("X-Request-Id")).containsExactly("1");
      assertThat(second.headers().allValues("X-Request-Id")).containsExactly("2");
      assertThat(first.headers().allValues("Vary")).containsExactly("Origin", "Accept");
      assertThat(second.headers().allValues("Vary")).containsExactly("Origin", "Accept");
      assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }
  }

  @InEachContainer
  void what_other_filters_do_inside_is_part_of_the_answer(Containers kind) throws Exception {
    Filter inner =
        (request, response, chain) -> {
          chain.doFilter(request, response);
          response.getOutputStream().print(" and filtered");
        };
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Once once = Once.builder(new MemoryStore()).build();
        Container container =
            kind.start(
                new Application(
                    List.of(
                        OnceFilter.builder(once).build(),
                        OnceFilter.builder(once).build(), // registered twice: once is enough
                        inner),
                    new Handler.Counting(handler),
                    null,
                    null))) {
      assertThat(send(container, "POST", "k1").body()).isEqualTo("done and filtered");
      assertThat(send(container, "POST", "k1").body()).isEqualTo("done and filtered");
    }
  }

  @InEachContainer
  void a_filter_outside_that_refuses_is_asked_before_a_replay(Containers kind) throws Exception {
    AtomicInteger allowed = new AtomicInteger(1);
    Filter authentication =
        (request, response, chain) -> {
          if (allowed.getAndDecrement() > 0) {
            chain.doFilter(request, response);
          } else {
            ((HttpServletResponse) response).setStatus(401);
          }
        };
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Once once = Once.builder(new MemoryStore()).build();
        Container container =
            kind.start(
                new Application(
                    List.of(authentication, OnceFilter.builder(once).build()),
                    new Handler.Counting(handler),
                    null,
                    null))) {
      assertThat(send(container, "POST", "k1").statusCode()).isEqualTo(200);
      assertThat(send(container, "POST", "k1").statusCode()).isEqualTo(401);
    }
  }

  @InEachContainer
  void the_application_says_whose_key_it_is(Containers kind) throws Exception {
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Server server =
        Server.start(
            kind,
            filter ->
                filter.scopes(
                    request -> {
                      String tenant = request.getParameter("tenant");
                      return tenant == null ? null : new Scope(tenant, "", "");
                    }),
            handler)) {
      for (String tenant : List.of("a", "b")) {
        HttpRequest.Builder request =
            server
                .request("/orders?tenant=" + tenant)
                .header("Idempotency-Key", "k1")
                .POST(BodyPublishers.ofString("{}"));
        assertThat(server.send(request).statusCode()).isEqualTo(200);
      }
      assertThat(server.runs()).isEqualTo(2);
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(400);
      assertThat(server.post("k1", "{}").body()).contains("tenant-missing");
    }
  }
}
