package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/**
 * Answers past the recording limit: streamed, digested, and never whole before they are recorded.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class LargeAnswerTest {

  private static final int LIMIT = 10_000;
  private static final String LINE = "0123456789ä€\n";
  private static final int LINES = 20_000;

  private static OnceFilter.Builder small(OnceFilter.Builder filter) {
    HttpPolicy policy =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.maxStoredBody(LIMIT))));
    return filter.policies(any -> policy);
  }

  private static final Handler STREAM =
      (request, response) -> {
        response.setStatus(201);
        response.setContentType("text/plain;charset=utf-8");
        response.setHeader("Location", "/reports/1");
        for (int i = 0; i < LINES; i++) {
          response.getOutputStream().write(LINE.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
      };

  private static void assertDigest(HttpResponse<String> replay) {
    assertThat(replay.statusCode()).isEqualTo(201);
    assertThat(replay.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(replay.headers().firstValue("Location")).hasValue("/reports/1");
    assertThat(replay.body())
        .contains("\"replayed\":true", "\"bytes\":" + LINES * 16, "\"get\":\"/reports/1\"");
  }

  @InEachContainer
  void a_large_answer_goes_through_and_a_retry_is_told_of_it(Containers kind) throws Exception {
    try (Server server = Server.start(kind, LargeAnswerTest::small, STREAM)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.body()).isEqualTo(LINE.repeat(LINES));
      assertDigest(server.post("k1", "{}"));
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_large_text_goes_through(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setStatus(201);
          response.setContentType("text/plain;charset=utf-8");
          response.setHeader("Location", "/reports/1");
          for (int i = 0; i < LINES; i++) {
            response.getWriter().print(LINE);
          }
        };
    try (Server server = Server.start(kind, LargeAnswerTest::small, handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo(LINE.repeat(LINES));
      assertDigest(server.post("k1", "{}"));
    }
  }

  @InEachContainer
  void a_large_answer_from_another_thread_goes_through(Containers kind) throws Exception {
    try (Server server = Server.start(kind, LargeAnswerTest::small, later(STREAM))) {
      assertThat(server.post("k1", "{}").body()).isEqualTo(LINE.repeat(LINES));
      assertDigest(server.post("k1", "{}"));
    }
  }

  private static Handler later(Handler handler) {
    return (request, response) -> {
      AsyncContext async = request.startAsync(request, response);
      CompletableFuture.runAsync(
          () -> {
            try {
              handler.handle(request, response);
            } catch (IOException | jakarta.servlet.ServletException e) {
              throw new IllegalStateException(e);
            }
            async.complete();
          });
    };
  }

  @InEachContainer
  void a_large_answer_that_cannot_be_recorded_is_cut_off(Containers kind) throws Exception {
    for (Handler handler : new Handler[] {STREAM, later(STREAM)}) {
      try (Server server =
          Server.start(kind, new LostLeaseStore(), LargeAnswerTest::small, null, null, handler)) {
        assertThatThrownBy(() -> server.post("k1", "{}")).isInstanceOf(IOException.class);
      }
    }
  }

  @InEachContainer
  void a_large_answer_in_one_piece_that_cannot_be_recorded_is_a_refusal(Containers kind)
      throws Exception {
    Handler bytes = (request, response) -> response.getOutputStream().write(new byte[2 * LIMIT]);
    Handler text = (request, response) -> response.getWriter().print(LINE.repeat(LIMIT / 10));
    for (Handler handler : new Handler[] {bytes, later(bytes), text, later(text)}) {
      try (Server server =
          Server.start(kind, new LostLeaseStore(), LargeAnswerTest::small, null, null, handler)) {
        HttpResponse<String> answer = server.post("k1", "{}");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).startsWith("{").endsWith("}").contains("taken-over");
        assertThat(answer.headers().firstValue("Content-Type").orElse("none"))
            .startsWith("application/problem+json");
      }
    }
  }

  @InEachContainer
  void an_exception_after_a_large_piece_is_answered_as_recorded(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.getOutputStream().write(new byte[2 * LIMIT]);
          throw new IllegalStateException("broken");
        };
    try (Server server = Server.start(kind, LargeAnswerTest::small, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).isEqualTo("{\"status\":500}");
      assertThat(server.post("k1", "{}").body()).isEqualTo(first.body());
      assertThat(server.runs()).isOne();
    }
  }

  /** The few words about a failure are more than is kept, too. */
  @InEachContainer
  void an_exception_is_a_500_also_where_no_bodies_are_kept(Containers kind) throws Exception {
    HttpPolicy nothing =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.maxStoredBody(0))));
    Handler handler =
        (request, response) -> {
          throw new IllegalStateException("told to fail");
        };
    try (Server server = Server.start(kind, f -> f.policies(any -> nothing), handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).isEqualTo("{\"status\":500}");
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(500);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_large_piece_that_was_reset_is_forgotten(Containers kind) throws Exception {
    HttpPolicy tiny =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.maxStoredBody(100))));
    Handler handler =
        (request, response) -> {
          response.getOutputStream().print("x".repeat(200));
          response.resetBuffer();
          response.getOutputStream().print("done");
        };
    try (Server server = Server.start(kind, f -> f.policies(any -> tiny), handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("done");
      assertThat(server.post("k1", "{}").body()).isEqualTo("done");
    }
  }

  @InEachContainer
  void an_exception_in_a_large_answer_cuts_it_off_and_is_recorded(Containers kind)
      throws Exception {
    Handler handler =
        (request, response) -> {
          STREAM.handle(request, response);
          throw new IllegalStateException("broken");
        };
    try (Server server = Server.start(kind, LargeAnswerTest::small, handler)) {
      assertThatThrownBy(() -> server.post("k1", "{}")).isInstanceOf(IOException.class);
      HttpResponse<String> retry = server.post("k1", "{}");
      assertThat(retry.statusCode()).isEqualTo(500);
      assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void the_beginning_of_a_large_answer_does_not_wait_for_its_end(Containers kind) throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          STREAM.handle(request, response);
          response.flushBuffer();
          try {
            assertThat(seen.await(300, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          response.getOutputStream().print("end");
        };
    try (Server server = Server.start(kind, LargeAnswerTest::small, handler)) {
      HttpResponse<InputStream> answer =
          HttpClient.newHttpClient()
              .send(
                  server
                      .request("/orders")
                      .header("Idempotency-Key", "k1")
                      .POST(BodyPublishers.ofString("{}"))
                      .build(),
                  BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        assertThat(body.read()).isEqualTo('0');
        seen.countDown();
        assertThat(new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
            .endsWith("end");
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
  }

  @InEachContainer
  void an_answer_as_large_as_the_limit_is_kept_whole(Containers kind) throws Exception {
    Handler handler = (request, response) -> response.getOutputStream().print("x".repeat(LIMIT));
    try (Server server =
        Server.start(kind, new MemoryStore(), LargeAnswerTest::small, null, null, handler)) {
      server.post("k1", "{}");
      assertThat(server.post("k1", "{}").body()).isEqualTo("x".repeat(LIMIT));
    }
  }
}
