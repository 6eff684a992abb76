package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Body;
import dev.once.core.Execution;
import dev.once.core.Once;
import dev.once.core.OnceListener;
import dev.once.core.Operation;
import dev.once.core.Refusal;
import dev.once.core.Result;
import dev.once.spring.RunningApplication;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A large answer, which is sent while it comes, for which nobody waits any longer. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class WebFluxClientGoneTest {

  private static final String KEY = "Idempotency-Key";

  /** Not waited for unless a test fails. */
  private static final int TIMEOUT_SECONDS = 300;

  private static volatile CountDownLatch begun = new CountDownLatch(1);
  private static volatile CompletableFuture<Void> pieces = new CompletableFuture<>();

  private static RunningApplication shop;

  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    shop =
        RunningApplication.reactive(
            Map.of("once.max-stored-body", "100"), Ends.class, Outside.class, Shop.class);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void reset() {
    begun = new CountDownLatch(1);
    pieces = new CompletableFuture<>();
    shop.bean(Ends.class).told.clear();
    shop.bean(Outside.class).reset();
  }

  @Component
  static class Ends implements OnceListener {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Override
    public void ended(Execution execution, Result result) {
      told.add(
          result instanceof Result.Executed executed
              ? executed.answer().code()
                  + (executed.answer().body() instanceof Body.Digest ? " digest" : " whole")
              : "not recorded");
    }

    @Override
    public void abandoned(Execution execution) {
      told.add("abandoned");
    }

    @Override
    public void refused(Operation operation, Refusal refusal) {
      told.add("refused " + refusal.reason());
    }

    Optional<String> next() throws InterruptedException {
      return Optional.ofNullable(told.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }
  }

  /** Gives up when the test says so, and answers in the handler's place when the test says so. */
  @Component
  @Order(-1000)
  static class Outside implements WebFilter {
    private volatile CountDownLatch givenUp = new CountDownLatch(1);
    private volatile CompletableFuture<Void> timeout = new CompletableFuture<>();
    private volatile CompletableFuture<Void> answer = new CompletableFuture<>();

    void reset() {
      givenUp = new CountDownLatch(1);
      timeout = new CompletableFuture<>();
      answer = new CompletableFuture<>();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      ServerHttpResponse response = exchange.getResponse();
      Mono<Void> instead =
          Mono.defer(
              () -> {
                response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
                response.getHeaders().set("X-Error", "timeout");
                givenUp.countDown();
                byte[] text = "took too long".getBytes(StandardCharsets.UTF_8);
                return Mono.fromFuture(answer, true)
                    .then(response.writeWith(Mono.just(response.bufferFactory().wrap(text))));
              });
      return Mono.firstWithSignal(
              chain.filter(exchange).thenReturn(false),
              Mono.fromFuture(timeout, true).thenReturn(true))
          .flatMap(late -> late ? instead : Mono.empty());
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/large")
    ResponseEntity<Flux<String>> large() {
      begun.countDown();
      return ResponseEntity.ok()
          .header("X-Handler", "large")
          .body(
              Mono.fromFuture(pieces, true)
                  .thenMany(Flux.range(0, 20).map(piece -> "x".repeat(1000))));
    }
  }

  private CompletableFuture<HttpResponse<String>> postMeanwhile() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return shop.post("/large", "a", KEY, key);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_large_answer_after_somebody_outside_has_answered_is_recorded_as_what_it_was()
      throws Exception {
    Outside outside = shop.bean(Outside.class);
    CompletableFuture<HttpResponse<String>> client = postMeanwhile();
    await(begun);
    outside.answer.complete(null);
    outside.timeout.complete(null);
    assertThat(client.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(504);
    outside.reset();
    pieces.complete(null);
    assertThat(shop.bean(Ends.class).next()).contains("200 digest");
    HttpResponse<String> retry = shop.post("/large", "a", KEY, key);
    assertThat(retry.statusCode()).isEqualTo(200);
    assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
  }

  @Test
  void a_filter_outside_that_has_given_up_answers_and_nothing_of_the_handlers_is_sent()
      throws Exception {
    Outside outside = shop.bean(Outside.class);
    CompletableFuture<HttpResponse<String>> client = postMeanwhile();
    await(begun);
    outside.timeout.complete(null);
    await(outside.givenUp);
    pieces.complete(null);
    assertThat(shop.bean(Ends.class).next()).contains("200 digest");
    outside.answer.complete(null);
    HttpResponse<String> answer = client.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.body()).isEqualTo("took too long");
    assertThat(answer.headers().firstValue("X-Error")).contains("timeout");
    assertThat(answer.headers().firstValue("X-Handler")).isEmpty();
  }

  @Test
  void an_operation_that_cannot_be_begun_is_told_as_refused() throws Exception {
    try (RunningApplication closed =
        RunningApplication.reactive(Map.of(), Ends.class, Shop.class)) {
      closed.bean(Once.class).close();
      assertThat(closed.post("/large", "a", KEY, key).statusCode()).isEqualTo(503);
      assertThat(closed.bean(Ends.class).told).containsExactly("refused STORE_DOWN");
    }
  }
}
