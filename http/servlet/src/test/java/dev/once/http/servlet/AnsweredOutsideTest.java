package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Once;
import dev.once.core.store.MemoryStore;
import dev.once.http.servlet.Container.Application;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;

/** What a handler threw is answered by a filter outside, though there are error pages. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AnsweredOutsideTest {

  private static final Handler FAILING =
      (request, response) -> {
        throw new IllegalStateException("broken");
      };

  private static Filter answering(int status) {
    return (request, response, chain) -> {
      try {
        chain.doFilter(request, response);
      } catch (ServletException | RuntimeException e) {
        ((HttpServletResponse) response).setStatus(status);
        OnceFilter.answeredOutside(request, status);
      }
    };
  }

  private static HttpResponse<String> post(Container container) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/orders"))
            .header("Idempotency-Key", "k1")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  @InEachContainer
  void its_status_is_recorded_at_once(Containers kind) throws Exception {
    Handler.Counting servlet = new Handler.Counting(FAILING);
    try (MemoryStore store = new MemoryStore();
        Once once = Once.builder(store).build();
        Container container =
            kind.start(
                new Application(
                    List.of(answering(403), OnceFilter.builder(once).errorPages(true).build()),
                    servlet,
                    "/error",
                    null))) {
      assertThat(post(container).statusCode()).isEqualTo(403);
      HttpResponse<String> retry = post(container);
      assertThat(retry.statusCode()).as(retry.body()).isEqualTo(403);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(servlet.runs()).isOne();
    }
  }

  @InEachContainer
  void a_status_that_is_never_recorded_leaves_the_key_free(Containers kind) throws Exception {
    Handler.Counting servlet = new Handler.Counting(FAILING);
    try (MemoryStore store = new MemoryStore();
        Once once = Once.builder(store).build();
        Container container =
            kind.start(
                new Application(
                    List.of(answering(401), OnceFilter.builder(once).errorPages(true).build()),
                    servlet,
                    "/error",
                    null))) {
      assertThat(post(container).statusCode()).isEqualTo(401);
      assertThat(post(container).statusCode()).isEqualTo(401);
      assertThat(servlet.runs()).isEqualTo(2);
    }
  }
}
