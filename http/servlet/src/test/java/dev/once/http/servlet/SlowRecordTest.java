package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;

/** An asynchronous request whose time is over while its answer is being recorded. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SlowRecordTest {

  @InEachContainer
  void the_client_is_told_so_and_the_retry_gets_the_answer(Containers kind) throws Exception {
    SlowStore store = new SlowStore();
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.setTimeout(200);
          CompletableFuture.runAsync(
              () -> {
                try {
                  response.setStatus(201);
                  response.setContentType("text/plain;charset=utf-8");
                  response.getWriter().print("late");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                async.complete();
              });
        };
    try (Server server = Server.start(kind, store, f -> f, null, null, handler)) {
      HttpResponse<String> first = server.post("k1", "{}");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).contains("upstream-timeout");

      store.record();
      HttpResponse<String> retry = server.post("k1", "{}");
      while (retry.statusCode() == 409) {
        retry = server.post("k1", "{}");
      }
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("late");
      assertThat(server.runs()).isOne();
      assertThat(store.ends()).isOne();
    }
  }
}
