package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.http.servlet.Containers.InEachContainer;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** A thread of the container that is interrupted while it waits for an answer to be recorded. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class InterruptTest {

  /** Interrupts the thread that it is called on when there is something to record. */
  private static void interruptWhenAsked(SlowStore store) {
    Thread own = Thread.currentThread();
    new Thread(
            () -> {
              await(store.asked());
              own.interrupt();
            })
        .start();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertUnknownAndThenReplayed(Server server, SlowStore store, int status)
      throws Exception {
    HttpResponse<String> first = server.post("k1", "{}");
    assertThat(first.statusCode()).as(first.body()).isEqualTo(409);
    assertThat(first.body()).contains("outcome-unknown").doesNotContain("done");

    store.record();
    HttpResponse<String> retry = server.post("k1", "{}");
    while (retry.statusCode() == 409) {
      retry = server.post("k1", "{}");
    }
    assertThat(retry.statusCode()).isEqualTo(status);
    assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(server.runs()).isOne();
    assertThat(store.ends()).isOne();
  }

  @InEachContainer
  void the_client_is_told_that_the_outcome_is_unknown_and_the_retry_gets_the_answer(Containers kind)
      throws Exception {
    SlowStore store = new SlowStore();
    Handler handler =
        (request, response) -> {
          interruptWhenAsked(store);
          response.setStatus(201);
          response.getOutputStream().print("done");
        };
    try (Server server = Server.start(kind, store, UnaryOperator.identity(), List.of(), handler)) {
      assertUnknownAndThenReplayed(server, store, 201);
    }
  }

  @InEachContainer
  void so_it_is_while_a_failure_is_recorded(Containers kind) throws Exception {
    SlowStore store = new SlowStore();
    Handler handler =
        (request, response) -> {
          interruptWhenAsked(store);
          throw new IllegalStateException("told to fail");
        };
    try (Server server = Server.start(kind, store, UnaryOperator.identity(), List.of(), handler)) {
      assertUnknownAndThenReplayed(server, store, 500);
    }
  }
}
