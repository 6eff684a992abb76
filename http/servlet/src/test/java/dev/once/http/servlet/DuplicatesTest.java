package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Policy.OnBusy;
import dev.once.core.store.MemoryStore;
import dev.once.http.semantics.HttpPolicy;
import dev.once.http.servlet.Containers.InEachContainer;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** Several requests with one key at the same time; and stores that do not record. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class DuplicatesTest {

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @InEachContainer
  void a_duplicate_is_refused_while_the_first_one_runs(Containers kind) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          started.countDown();
          await(go);
          response.getOutputStream().print("done");
        };
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (Server server = Server.start(kind, handler)) {
      Future<HttpResponse<String>> first = pool.submit(() -> server.post("k1", "{}"));
      await(started);
      HttpResponse<String> busy = server.post("k1", "{}");
      HttpResponse<String> other = server.post("k1", "{\"a\":1}");
      go.countDown();

      assertThat(busy.statusCode()).isEqualTo(409);
      assertThat(busy.headers().firstValue("Retry-After")).isPresent();
      assertThat(other.statusCode()).isEqualTo(422);
      assertThat(first.get().body()).isEqualTo("done");
      assertThat(server.post("k1", "{}").body()).isEqualTo("done");
      assertThat(server.runs()).isOne();
    } finally {
      pool.shutdownNow();
    }
  }

  @InEachContainer
  void of_many_duplicates_that_wait_one_runs_and_all_get_its_answer(Containers kind)
      throws Exception {
    HttpPolicy waiting =
        HttpPolicy.DEFAULT.with(
            p -> p.policy(HttpPolicy.DEFAULT.policy().with(c -> c.onBusy(OnBusy.WAIT))));
    AtomicInteger number = new AtomicInteger();
    Handler handler =
        (request, response) -> response.getOutputStream().print("run " + number.incrementAndGet());
    int clients = 16;
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try (Server server = Server.start(kind, filter -> filter.policies(any -> waiting), handler)) {
      for (int round = 0; round < 20; round++) {
        String key = "k" + round;
        List<Future<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
          answers.add(pool.submit(() -> server.post(key, "{}")));
        }
        int first = 0;
        for (Future<HttpResponse<String>> answer : answers) {
          assertThat(answer.get().statusCode()).isEqualTo(200);
          assertThat(answer.get().body()).isEqualTo("run " + (round + 1));
          first += answer.get().headers().firstValue("Idempotent-Replayed").isEmpty() ? 1 : 0;
        }
        assertThat(first).isOne();
      }
      assertThat(server.runs()).isEqualTo(20);
    } finally {
      pool.shutdownNow();
    }
  }

  @InEachContainer
  void an_answer_that_is_not_recorded_is_not_sent(Containers kind) throws Exception {
    Handler handler =
        (request, response) -> {
          response.setStatus(201);
          response.setHeader("Location", "/orders/1");
          response.getWriter().print("made");
        };
    try (Server server =
        Server.start(kind, new LostLeaseStore(), filter -> filter, null, null, handler)) {
      HttpResponse<String> answer = server.post("k1", "{}");
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.headers().firstValue("Content-Type").orElse(""))
          .startsWith("application/problem+json");
      assertThat(answer.headers().firstValue("Location")).isEmpty();
      assertThat(answer.body()).contains("taken-over").doesNotContain("made");
    }
  }

  @InEachContainer
  void a_store_that_cannot_be_asked_refuses_and_nothing_runs(Containers kind) throws Exception {
    MemoryStore full = new MemoryStore(java.time.InstantSource.system(), 1, 1_000_000);
    Handler handler = (request, response) -> response.getOutputStream().print("done");
    try (Server server = Server.start(kind, full, filter -> filter, null, null, handler)) {
      assertThat(server.post("k1", "{}").statusCode()).isEqualTo(200);
      assertThat(server.post("k2", "{}").statusCode()).isEqualTo(503);
      assertThat(server.runs()).isOne();
    }
  }

  @InEachContainer
  void a_handler_is_told_its_execution(Containers kind) throws Exception {
    Handler handler =
        (request, response) ->
            response
                .getOutputStream()
                .print(
                    OnceFilter.execution(request)
                        .map(run -> run.attempt() + " " + run.fence().isPresent())
                        .orElse("none"));
    try (Server server = Server.start(kind, handler)) {
      assertThat(server.post("k1", "{}").body()).isEqualTo("1 true");
      assertThat(server.send(server.request("/orders").GET()).body()).isEqualTo("none");
    }
  }
}
