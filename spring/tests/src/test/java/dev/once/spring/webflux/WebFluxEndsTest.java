package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.NotRunException;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.core.store.Claim;
import dev.once.core.store.ClaimRequest;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.spring.OnceCustomizer;
import dev.once.spring.RunningApplication;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * How an operation ends in WebFlux if something comes in between: a client that leaves, a filter
 * outside that answers, a body that breaks off.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class WebFluxEndsTest {

  private static final String KEY = "Idempotency-Key";
  private static final String REQUEST_ID = "X-Request-Id";

  /** Not waited for unless a test fails. */
  private static final int TIMEOUT_SECONDS = 300;

  private static final AtomicInteger RUNS = new AtomicInteger();
  private static volatile CountDownLatch begun = new CountDownLatch(1);
  private static volatile CompletableFuture<Integer> later = new CompletableFuture<>();

  private static RunningApplication shop;

  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    shop =
        RunningApplication.reactive(
            Map.of(
                "once.routes[0].match", "/wait/*",
                "once.routes[0].on-busy", "wait",
                "once.routes[0].longest-wait", "60s",
                "once.routes[1].match", "/none/*",
                "once.routes[1].max-stored-body", "0"),
            Keys.class,
            Ends.class,
            Outside.class,
            Errors.class,
            Shop.class);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void reset() {
    RUNS.set(0);
    begun = new CountDownLatch(1);
    later = new CompletableFuture<>();
    shop.bean(GatedStore.class).reset();
    shop.bean(Ends.class).ends.clear();
    shop.bean(Outside.class).reset();
  }

  // What the application is made of.

  /** Replies to a claim when the test says so. */
  static final class GatedStore extends ForwardingStore {
    private volatile CountDownLatch claims = new CountDownLatch(1);
    private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    GatedStore() {
      super(new MemoryStore());
    }

    void reset() {
      claims = new CountDownLatch(1);
      gate = CompletableFuture.completedFuture(null);
    }

    void holdBack() {
      gate = new CompletableFuture<>();
    }

    void letGo() {
      gate.complete(null);
    }

    @Override
    public CompletionStage<Claim> claim(ClaimRequest request) {
      claims.countDown();
      return gate.thenCompose(opened -> super.claim(request));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Keys {
    @Bean
    GatedStore store() {
      return new GatedStore();
    }

    @Bean
    OnceCustomizer patientWithTheStore() {
      return once -> once.storeTimeout(Duration.ofMinutes(1));
    }
  }

  /** Is told how executions end. */
  @Component
  static class Ends implements OnceListener {
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    @Override
    public void ended(Execution execution, Result result) {
      ends.add(
          result instanceof Result.Executed executed ? "ended " + executed.answer().code() : "?");
    }

    @Override
    public void released(Execution execution) {
      ends.add("released");
    }

    @Override
    public void abandoned(Execution execution) {
      ends.add("abandoned");
    }

    Optional<String> next() throws InterruptedException {
      return Optional.ofNullable(ends.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }
  }

  /**
   * Gives each request an id, as a filter of traces does, and answers in the handler's place, as
   * one of timeouts does.
   */
  @Component
  @Order(-1000)
  static class Outside implements WebFilter {
    private volatile CountDownLatch cancelled = new CountDownLatch(1);
    private volatile CompletableFuture<Void> timeout = new CompletableFuture<>();

    void reset() {
      cancelled = new CountDownLatch(1);
      timeout = new CompletableFuture<>();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      ServerHttpResponse response = exchange.getResponse();
      response.getHeaders().set(REQUEST_ID, UUID.randomUUID().toString());
      Mono<Void> instead =
          Mono.fromFuture(timeout, true)
              .then(
                  Mono.defer(
                      () -> {
                        response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
                        return response.setComplete();
                      }));
      return Mono.firstWithSignal(chain.filter(exchange).doOnCancel(cancelled::countDown), instead);
    }
  }

  static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static final class Rejected extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static final class TooLate extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Component
  @Order(-10)
  static class Errors implements WebExceptionHandler {
    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
      ServerHttpResponse response = exchange.getResponse();
      if (response.isCommitted()) {
        return Mono.error(failure);
      }
      if (failure instanceof Declined) {
        response.setStatusCode(HttpStatus.PAYMENT_REQUIRED);
        return response.setComplete();
      }
      if (failure instanceof Rejected) {
        response.setStatusCode(HttpStatus.CONFLICT);
        return response.writeWith(Mono.just(buffer("rejected")));
      }
      if (failure instanceof TooLate) {
        response.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
        return response.writeWith(
            Flux.just(buffer("too "), buffer("late"))
                .concatWith(
                    Mono.fromSupplier(
                        () -> {
                          later.complete(200);
                          return buffer(".");
                        })));
      }
      if (failure instanceof NotRunException) {
        response.setStatusCode(HttpStatus.INTERNAL_SERVER_ERROR);
        return response.writeWith(Flux.just(buffer("nothing "), buffer("was "), buffer("done")));
      }
      return Mono.error(failure);
    }
  }

  private static DataBuffer buffer(String text) {
    return DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @RestController
  static class Shop {
    @PostMapping("/pay")
    Mono<ResponseEntity<String>> pay() {
      return Mono.fromSupplier(
          () -> ResponseEntity.status(201).body("run " + RUNS.incrementAndGet()));
    }

    /** The first run answers what the test says, the others 201. */
    @PostMapping({"/later", "/wait/later"})
    Mono<ResponseEntity<String>> later() {
      int run = RUNS.incrementAndGet();
      begun.countDown();
      return Mono.fromFuture(later, true)
          .map(status -> ResponseEntity.status(run == 1 ? status : 201).body("run " + run));
    }

    @PatchMapping("/versioned")
    Mono<String> versioned(ServerWebExchange exchange) {
      return exchange.checkNotModified("\"v2\"") ? Mono.empty() : Mono.just("changed");
    }

    @PostMapping("/raw-status")
    Mono<Void> rawStatus(ServerHttpResponse response) {
      response.setRawStatusCode(402);
      return response.setComplete();
    }

    @PostMapping("/none/not-run")
    Mono<String> notRun() {
      return RUNS.incrementAndGet() == 1
          ? Mono.error(new NotRunException("nothing was done"))
          : Mono.just("done");
    }

    @PostMapping("/half")
    Flux<String> half() {
      return Flux.just("first,", "second,").concatWith(Flux.error(new Declined()));
    }

    /** Cancelled after the first piece; the second one comes while the error is answered. */
    @PostMapping("/none/cancelled")
    Mono<Void> cancelled(ServerHttpResponse response) {
      Flux<DataBuffer> body =
          Flux.just(buffer("one"))
              .concatWith(Mono.fromFuture(later, true).map(any -> buffer("two")))
              .doOnCancel(begun::countDown);
      return Mono.firstWithSignal(response.writeWith(body), Mono.error(new TooLate()));
    }

    @PostMapping("/half-with-length")
    Mono<Void> halfWithLength(ServerHttpResponse response) {
      response.getHeaders().setContentLength(3);
      return response.writeWith(Flux.error(new Rejected()));
    }

    @PostMapping("/half-with-coding")
    ResponseEntity<Flux<DataBuffer>> halfWithCoding() {
      return ResponseEntity.ok()
          .header("Content-Encoding", "gzip")
          .body(Flux.error(new Declined()));
    }

    @PostMapping("/fails-before-commit")
    Mono<Void> failsBeforeCommit(ServerHttpResponse response) {
      response.beforeCommit(() -> Mono.error(new Rejected()));
      return response.writeWith(Mono.just(buffer("one")));
    }

    @PostMapping("/whole-and-fails")
    Mono<Void> wholeAndFails(ServerHttpResponse response) {
      return response.writeWith(Mono.just(buffer("one"))).then(Mono.error(new Declined()));
    }

    @PostMapping("/twice")
    Mono<Void> twice(ServerHttpResponse response) {
      return response
          .writeWith(Mono.just(buffer("one")))
          .then(response.writeWith(Mono.just(buffer("two"))));
    }
  }

  // Clients.

  private HttpResponse<String> post(String path) throws Exception {
    return send("POST", path, KEY, key);
  }

  private static HttpResponse<String> postWithoutKey(String path) throws Exception {
    return send("POST", path);
  }

  private static HttpResponse<String> send(String method, String path, String... headers)
      throws Exception {
    return shop.send(
        shop.request(path, headers)
            .timeout(Duration.ofSeconds(TIMEOUT_SECONDS))
            .method(method, BodyPublishers.ofString("a")));
  }

  private CompletableFuture<HttpResponse<String>> postMeanwhile(String path) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return post(path);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static Optional<String> nextEnd() throws InterruptedException {
    return shop.bean(Ends.class).next();
  }

  private static Optional<String> replayed(HttpResponse<String> response) {
    return response.headers().firstValue("Idempotent-Replayed");
  }

  // A client that leaves: Netty cancels its request then, and not every server sees it. Here the
  // filter outside cancels.

  private static void leave(CompletableFuture<HttpResponse<String>> client) throws Exception {
    Outside outside = shop.bean(Outside.class);
    outside.timeout.complete(null);
    await(outside.cancelled);
    assertThat(client.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(504);
    outside.reset();
  }

  @Test
  void a_client_that_leaves_while_its_key_is_claimed_does_not_take_the_key_with_it()
      throws Exception {
    GatedStore store = shop.bean(GatedStore.class);
    store.holdBack();
    CompletableFuture<HttpResponse<String>> client = postMeanwhile("/pay");
    await(store.claims);
    leave(client);
    store.letGo();
    assertThat(nextEnd()).contains("ended 201");
    HttpResponse<String> retry = post("/pay");
    assertThat(retry.body()).isEqualTo("run 1");
    assertThat(replayed(retry)).contains("true");
  }

  @Test
  void a_duplicate_that_leaves_while_it_waits_does_not_take_the_key_with_it() throws Exception {
    GatedStore store = shop.bean(GatedStore.class);
    CompletableFuture<HttpResponse<String>> first = postMeanwhile("/wait/later");
    await(begun);
    store.reset();
    shop.bean(Outside.class).reset();
    CompletableFuture<HttpResponse<String>> duplicate = postMeanwhile("/wait/later");
    await(store.claims);
    leave(duplicate);
    later.complete(429);
    assertThat(first.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(429);
    assertThat(List.of(nextEnd(), nextEnd()))
        .containsExactlyInAnyOrder(Optional.of("released"), Optional.of("ended 201"));
    assertThat(post("/wait/later").body()).isEqualTo("run 2");
  }

  // A filter outside.

  /** Somebody outside answers 504 while the handler runs. */
  private void answeredOutside() throws Exception {
    CompletableFuture<HttpResponse<String>> first = postMeanwhile("/later");
    await(begun);
    leave(first);
  }

  @Test
  void what_a_handler_answers_after_somebody_outside_did_is_recorded() throws Exception {
    answeredOutside();
    later.complete(202);
    assertThat(nextEnd()).contains("ended 202");
    assertThat(post("/later").statusCode()).isEqualTo(202);
    assertThat(RUNS).hasValue(1);
  }

  @Test
  void a_handler_that_fails_after_somebody_outside_has_answered_is_recorded_as_failed()
      throws Exception {
    answeredOutside();
    later.completeExceptionally(new Declined());
    assertThat(nextEnd()).contains("ended 402");
    assertThat(post("/later").statusCode()).isEqualTo(402);
    assertThat(RUNS).hasValue(1);
  }

  @Test
  void a_handler_that_did_not_run_is_free_also_if_somebody_outside_has_answered() throws Exception {
    answeredOutside();
    later.completeExceptionally(new NotRunException("nothing was done"));
    assertThat(nextEnd()).contains("released");
  }

  @Test
  void a_handler_that_breaks_off_after_somebody_outside_has_answered_is_left_to_the_crash_policy()
      throws Exception {
    answeredOutside();
    later.completeExceptionally(new AssertionError("told to break off"));
    assertThat(nextEnd()).contains("abandoned");
  }

  @Test
  void what_a_filter_outside_adds_is_not_recorded() throws Exception {
    HttpResponse<String> first = post("/pay");
    HttpResponse<String> retry = post("/pay");
    assertThat(replayed(retry)).contains("true");
    assertThat(first.headers().allValues(REQUEST_ID)).hasSize(1);
    assertThat(retry.headers().allValues(REQUEST_ID))
        .hasSize(1)
        .isNotEqualTo(first.headers().allValues(REQUEST_ID));
  }

  @Test
  void an_error_has_what_a_filter_outside_added() throws Exception {
    HttpResponse<String> answer = post("/whole-and-fails");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.headers().firstValue(REQUEST_ID)).isPresent();
  }

  // What a handler says is the answer.

  @Test
  void a_precondition_that_failed_is_the_answer() throws Exception {
    String[] condition = {"If-Match", "\"v1\""};
    assertThat(send("PATCH", "/versioned", condition).statusCode()).isEqualTo(412);
    assertThat(send("PATCH", "/versioned", "If-Match", "\"v1\"", KEY, key).statusCode())
        .isEqualTo(412);
  }

  @Test
  void a_raw_status_is_the_answer() throws Exception {
    assertThat(postWithoutKey("/raw-status").statusCode()).isEqualTo(402);
    assertThat(post("/raw-status").statusCode()).isEqualTo(402);
  }

  @Test
  void what_is_written_twice_is_as_without_a_key() throws Exception {
    assertThat(postWithoutKey("/twice").body()).isEqualTo("one");
    assertThat(post("/twice").body()).isEqualTo("one");
  }

  // A body that breaks off.

  @Test
  void what_did_not_run_is_free_also_if_what_says_so_is_too_large_to_keep() throws Exception {
    HttpResponse<String> first = post("/none/not-run");
    assertThat(first.statusCode()).isEqualTo(500);
    assertThat(first.body()).isEqualTo("nothing was done");
    assertThat(nextEnd()).contains("released");
    assertThat(post("/none/not-run").body()).isEqualTo("done");
  }

  @Test
  void a_body_that_was_cancelled_does_not_end_the_error_that_streams_in_its_place()
      throws Exception {
    HttpResponse<String> first = post("/none/cancelled");
    assertThat(first.statusCode()).isEqualTo(503);
    assertThat(first.body()).isEqualTo("too late.");
    assertThat(nextEnd()).contains("ended 503");
    await(begun);
  }

  @Test
  void an_error_has_nothing_of_the_answer_that_was_begun() throws Exception {
    HttpResponse<String> answer = post("/half");
    assertThat(answer.statusCode()).isEqualTo(402);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void an_error_has_not_the_length_of_the_answer_that_was_begun() throws Exception {
    HttpResponse<String> answer = post("/half-with-length");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).isEqualTo("rejected");
  }

  @Test
  void an_error_has_not_the_coding_of_the_answer_that_was_begun() throws Exception {
    HttpResponse<String> answer = post("/half-with-coding");
    assertThat(answer.statusCode()).isEqualTo(402);
    assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
  }

  @Test
  void an_error_can_be_answered_if_what_comes_before_the_answer_fails() throws Exception {
    HttpResponse<String> answer = post("/fails-before-commit");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).isEqualTo("rejected");
  }
}
