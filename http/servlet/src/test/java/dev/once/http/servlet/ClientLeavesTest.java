package dev.once.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.store.MemoryStore;
import dev.once.http.servlet.Container.Application;
import dev.once.http.servlet.Containers.InEachContainer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/** Whoever is there to read it or not: what a handler answered is recorded. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class ClientLeavesTest {

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends a request, and leaves when its handler runs. */
  private static void sendAndLeave(Server server, CountDownLatch started) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoLinger(true, 0);
      String request =
          "POST /orders HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: k1\r\n"
              + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      await(started);
    }
  }

  private static void assertRecorded(Server server) throws Exception {
    HttpResponse<String> retry = server.post("k1", "{}");
    while (retry.statusCode() == 409) {
      retry = server.post("k1", "{}");
    }
    assertThat(retry.body()).isEqualTo("done ".repeat(10_000));
    assertThat(retry.statusCode()).isEqualTo(200);
    assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(server.runs()).isOne();
  }

  @InEachContainer
  void a_client_that_leaves_finds_the_answer_when_it_comes_back(Containers kind) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          started.countDown();
          await(left);
          response.getOutputStream().print("done ".repeat(10_000));
        };
    try (Server server = Server.start(kind, handler)) {
      sendAndLeave(server, started);
      left.countDown();
      assertRecorded(server);
    }
  }

  @InEachContainer
  void a_client_that_leaves_finds_the_answer_that_came_later(Containers kind) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    Handler handler =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          CompletableFuture.runAsync(
              () -> {
                started.countDown();
                await(left);
                try {
                  response.getOutputStream().print("done ".repeat(10_000));
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
                async.complete();
              });
        };
    try (Server server = Server.start(kind, handler)) {
      sendAndLeave(server, started);
      left.countDown();
      assertRecorded(server);
    }
  }

  @InEachContainer
  void a_client_that_leaves_while_its_answer_is_recorded_finds_it(Containers kind)
      throws Exception {
    Handler now = (request, response) -> response.getOutputStream().print("done ".repeat(10_000));
    Handler later =
        (request, response) -> {
          AsyncContext async = request.startAsync(request, response);
          response.getOutputStream().print("done ".repeat(10_000));
          async.complete();
        };
    for (Handler handler : List.of(now, later)) {
      SlowStore store = new SlowStore();
      try (Server server = Server.start(kind, store, f -> f, null, null, handler)) {
        sendAndLeave(server, store.asked());
        store.record();
        assertRecorded(server);
        assertThat(store.ends()).isOne();
      }
    }
  }

  @InEachContainer
  void a_filter_that_does_not_see_a_dispatch_records_nothing_of_it(Containers kind)
      throws Exception {
    Handler whole = (request, response) -> response.getOutputStream().print("done");
    Handler half =
        (request, response) -> {
          response.getOutputStream().print("half");
          throw new IllegalStateException("broken");
        };
    Handler refused = (request, response) -> response.sendError(409, "taken");
    for (Handler target : List.of(whole, half, refused)) {
      assertNotSeen(kind, target);
    }
  }

  private static void assertNotSeen(Containers kind, Handler target) throws Exception {
    Handler handler =
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            target.handle(request, response);
          } else {
            request.startAsync(request, response).dispatch();
          }
        };
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch abandoned = new CountDownLatch(1);
    OnceListener listener =
        new OnceListener() {
          @Override
          public void abandoned(Execution execution) {
            ends.incrementAndGet();
            abandoned.countDown();
          }
        };
    try (Once once = Once.builder(new MemoryStore()).listener(listener).build()) {
      OnceFilter filter = OnceFilter.builder(once).build();
      Filter notForAsync =
          (request, response, chain) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
              filter.doFilter(request, response, chain);
            } else {
              chain.doFilter(request, response);
            }
          };
      try (Container container =
          kind.start(
              new Application(List.of(notForAsync), new Handler.Counting(handler), null, null))) {
        HttpResponse<String> first = post(container);
        assertThat(first.statusCode()).isEqualTo(500);
        assertThat(abandoned.await(300, TimeUnit.SECONDS)).isTrue();
        HttpResponse<String> retry = post(container);
        assertThat(retry.statusCode()).isEqualTo(409);
        assertThat(retry.body()).contains("still-running");
      }
      assertThat(ends).hasValue(1);
    }
  }

  private static HttpResponse<String> post(Container container) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/orders"))
                .header("Idempotency-Key", "k1")
                .POST(BodyPublishers.ofString("{}"))
                .build(),
            BodyHandlers.ofString());
  }
}
