package dev.once.spring.webflux;

import static dev.once.test.OnceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Refusal.Reason;
import dev.once.core.Scope;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.Store;
import dev.once.spring.Idempotent;
import dev.once.spring.RunningApplication;
import dev.once.test.RecordingStore;
import dev.once.test.TestClock;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class WebFluxTest {

  private static final String KEY = "Idempotency-Key";
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static volatile CountDownLatch begun = new CountDownLatch(1);
  private static volatile CompletableFuture<String> later = new CompletableFuture<>();

  @BeforeEach
  void reset() {
    RUNS.set(0);
    begun = new CountDownLatch(1);
    later = new CompletableFuture<>();
  }

  @Configuration(proxyBeanMethods = false)
  static class RecordedKeys {
    @Bean
    Store store() {
      return new RecordingStore();
    }
  }

  @RestController
  static class Shop {
    @PostMapping("/payments")
    Mono<ResponseEntity<String>> pay(@RequestBody String payment) {
      return Mono.fromSupplier(
          () ->
              ResponseEntity.status(201)
                  .header("Location", "/payments/7")
                  .contentType(MediaType.TEXT_PLAIN)
                  .body(RUNS.incrementAndGet() + ": " + payment));
    }

    @PostMapping("/slow")
    Mono<String> slow() {
      RUNS.incrementAndGet();
      begun.countDown();
      return Mono.fromFuture(later);
    }

    @PostMapping("/empty")
    Mono<ResponseEntity<Void>> empty() {
      RUNS.incrementAndGet();
      return Mono.just(ResponseEntity.noContent().build());
    }

    @PostMapping("/stream")
    Flux<String> stream() {
      RUNS.incrementAndGet();
      return Flux.range(0, 100).map(i -> "piece " + i + ",");
    }

    @PostMapping("/broken")
    Flux<String> broken() {
      RUNS.incrementAndGet();
      return Flux.range(0, 100)
          .map(i -> "piece " + i + ",")
          .concatWith(Flux.error(new IllegalStateException("half way")));
    }

    @PostMapping("/fails")
    Mono<String> fails() {
      RUNS.incrementAndGet();
      return Mono.error(new IllegalStateException("no bank"));
    }

    /** Reactor throws this past all operators. */
    @PostMapping("/fatal")
    Mono<String> fatal() {
      return Mono.fromSupplier(
          () -> {
            RUNS.incrementAndGet();
            throw new NoClassDefFoundError("told to be fatal");
          });
    }

    @PostMapping("/late-head")
    Mono<Void> lateHead(ServerHttpResponse response) {
      RUNS.incrementAndGet();
      response.beforeCommit(
          () -> Mono.fromRunnable(() -> response.getHeaders().set("X-Late", "yes")));
      return Mono.empty();
    }

    @PostMapping("/rejects")
    Mono<String> rejects() {
      RUNS.incrementAndGet();
      return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(422)));
    }

    @PostMapping("/too-early")
    Mono<ResponseEntity<Void>> notNow() {
      RUNS.incrementAndGet();
      return Mono.just(ResponseEntity.status(429).build());
    }

    @PostMapping("/moved")
    Mono<ResponseEntity<Void>> moved() {
      RUNS.incrementAndGet();
      return Mono.just(ResponseEntity.status(308).header("Location", "/elsewhere").build());
    }

    @PostMapping("/allowed")
    Mono<ResponseEntity<String>> allowed(@RequestHeader("Origin") String origin) {
      RUNS.incrementAndGet();
      return Mono.just(
          ResponseEntity.ok().header("Access-Control-Allow-Origin", origin).body("allowed"));
    }

    @PostMapping("/parts")
    Mono<String> parts(ServerWebExchange exchange) {
      RUNS.incrementAndGet();
      return exchange.getMultipartData().map(parts -> "parts " + parts.keySet());
    }

    @PostMapping("/flushed")
    Mono<Void> flushed(ServerHttpResponse response) {
      RUNS.incrementAndGet();
      response.addCookie(ResponseCookie.from("session", "secret").build());
      response.beforeCommit(
          () -> Mono.fromRunnable(() -> response.getHeaders().set("X-Late", "yes")));
      return response.writeAndFlushWith(
          Flux.just("a", "b", "c")
              .map(s -> s.getBytes(StandardCharsets.UTF_8))
              .map(bytes -> Mono.just(DefaultDataBufferFactory.sharedInstance.wrap(bytes))));
    }

    @PostMapping("/form")
    Mono<String> form(ServerWebExchange exchange) {
      RUNS.incrementAndGet();
      return exchange.getFormData().map(form -> "amount " + form.getFirst("amount"));
    }

    @PutMapping("/orders")
    @Idempotent(required = true)
    Mono<String> order(Execution execution, Optional<Execution> same) {
      return Mono.just(execution.attempt() + " " + (execution == same.orElse(null)));
    }

    @PostMapping("/maybe")
    Mono<String> maybe(Optional<Execution> execution) {
      return Mono.just("under a key: " + execution.isPresent());
    }

    @PostMapping("/thread")
    Mono<String> thread() {
      return Mono.just(Thread.currentThread().getName());
    }
  }

  private static RunningApplication shop(Map<String, Object> properties) {
    return RunningApplication.reactive(properties, Shop.class, RecordedKeys.class);
  }

  private static RecordingStore keys(RunningApplication application) {
    return (RecordingStore) application.bean(Store.class);
  }

  private static Optional<String> replayed(HttpResponse<?> response) {
    return response.headers().firstValue("Idempotent-Replayed");
  }

  @Test
  void routes_do_not_name_the_base_path() throws Exception {
    Map<String, Object> properties =
        Map.of(
            "spring.webflux.base-path", "/shop",
            "once.routes[0].match", "POST /payments",
            "once.routes[0].required", "true");
    try (RunningApplication application = RunningApplication.reactive(properties, Shop.class)) {
      assertThat(application.post("/shop/payments", "1").statusCode()).isEqualTo(400);
      assertThat(application.post("/shop/payments", "1", KEY, "k").statusCode()).isEqualTo(201);
    }
  }

  @Test
  void a_request_runs_once_and_every_retry_gets_its_answer() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      HttpResponse<String> first = shop.post("/payments", "10", KEY, "k");
      HttpResponse<String> retry = shop.post("/payments", "10", KEY, "k");
      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.body()).isEqualTo("1: 10");
      assertThat(replayed(first)).isEmpty();
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("1: 10");
      assertThat(replayed(retry)).contains("true");
      assertThat(retry.headers().firstValue("Location")).contains("/payments/7");
      assertThat(retry.headers().firstValue("Content-Type"))
          .isEqualTo(first.headers().firstValue("Content-Type"));
      assertThat(RUNS).hasValue(1);
      assertThat(keys(shop)).operation("k").wasExecutedOnce().wasReplayed(1);
    }
  }

  @Test
  void a_request_without_a_key_passes_as_if_there_were_no_filter() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      assertThat(shop.post("/payments", "10").body()).isEqualTo("1: 10");
      assertThat(shop.post("/payments", "10").body()).isEqualTo("2: 10");
      assertThat(shop.post("/maybe", "").body()).isEqualTo("under a key: false");
      assertThat(keys(shop)).hasNoOperations();
    }
  }

  @Service
  static class Charges {
    @Idempotent(key = "#id")
    public int charge(String id) {
      begun.countDown();
      later.join();
      return RUNS.incrementAndGet();
    }
  }

  @RestController
  static class Counter {
    private final Charges charges;

    Counter(Charges charges) {
      this.charges = charges;
    }

    @PostMapping("/charge")
    Mono<Integer> charge(@RequestBody String id) {
      // Not by subscribeOn: Reactor may interrupt that thread while Tomcat writes the answer on it.
      return Mono.fromFuture(() -> CompletableFuture.supplyAsync(() -> charges.charge(id)));
    }
  }

  @Test
  void a_bean_methods_not_now_is_not_the_requests_answer() throws Exception {
    try (RunningApplication shop =
        RunningApplication.reactive(Map.of(), Charges.class, Counter.class)) {
      Charges charges = shop.bean(Charges.class);
      CompletableFuture<Integer> charging =
          CompletableFuture.supplyAsync(() -> charges.charge("order"));
      begun.await();
      HttpResponse<String> busy = shop.post("/charge", "order", KEY, "k");
      later.complete("");
      int charged = charging.join();
      HttpResponse<String> retry = shop.post("/charge", "order", KEY, "k");
      assertThat(busy.statusCode()).isEqualTo(409);
      assertThat(busy.headers().firstValue("Retry-After")).contains("1");
      assertThat(busy.body()).contains("#still-running");
      assertThat(retry.statusCode()).isEqualTo(200);
      assertThat(retry.body()).isEqualTo(String.valueOf(charged));
      assertThat(replayed(retry)).isEmpty();
      assertThat(replayed(shop.post("/charge", "order", KEY, "k"))).contains("true");
    }
  }

  /** An authentication of the application's own, before the filter, whose principal has no name. */
  @Component
  @Order(-200)
  static class Nameless implements WebFilter {
    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      Principal nameless = () -> null;
      return chain.filter(exchange.mutate().principal(Mono.just(nameless)).build());
    }
  }

  @Test
  void a_principal_without_a_name_is_told_apart_as_nobody_is() throws Exception {
    try (RunningApplication shop =
        RunningApplication.reactive(Map.of(), Shop.class, Nameless.class)) {
      assertThat(shop.post("/payments", "1", KEY, "k", "Authorization", "ann").body())
          .isEqualTo("1: 1");
      assertThat(replayed(shop.post("/payments", "1", KEY, "k", "Authorization", "ann")))
          .contains("true");
      assertThat(shop.post("/payments", "1", KEY, "k", "Authorization", "bob").body())
          .isEqualTo("2: 1");
    }
  }

  @Test
  void bad_keys_and_other_requests_under_a_known_key_are_refused() throws Exception {
    try (RunningApplication shop = shop(Map.of("once.max-request-body", "100"))) {
      HttpResponse<String> malformed = shop.post("/payments", "10", KEY, "two words");
      assertThat(malformed.statusCode()).isEqualTo(400);
      assertThat(malformed.headers().firstValue("Content-Type"))
          .contains("application/problem+json");
      shop.post("/payments", "10", KEY, "k");
      assertThat(shop.post("/payments", "99", KEY, "k").statusCode()).isEqualTo(422);
      assertThat(shop.post("/payments", "1".repeat(101), KEY, "large").statusCode()).isEqualTo(413);
      assertThat(RUNS).hasValue(1);
      assertThat(keys(shop)).operation("k").wasRefused(Reason.MISMATCH, 1);
      assertThat(keys(shop)).operation("large").wasNotExecuted();
    }
  }

  @Test
  void a_body_of_unknown_length_is_bounded_too() throws Exception {
    try (RunningApplication shop = shop(Map.of("once.max-request-body", "100"))) {
      var body =
          java.net.http.HttpRequest.BodyPublishers.fromPublisher(
              java.net.http.HttpRequest.BodyPublishers.ofString("1".repeat(101)));
      assertThat(shop.send(shop.request("/payments", KEY, "k").POST(body)).statusCode())
          .isEqualTo(413);
      assertThat(RUNS).hasValue(0);
    }
  }

  @Test
  void a_duplicate_of_a_running_request_is_told_to_come_back() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      CompletableFuture<HttpResponse<String>> first = async(shop, "/slow", "k");
      assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
      HttpResponse<String> duplicate = shop.post("/slow", "", KEY, "k");
      assertThat(duplicate.statusCode()).isEqualTo(409);
      assertThat(duplicate.headers().firstValue("Retry-After")).isPresent();
      later.complete("done");
      assertThat(first.get(300, TimeUnit.SECONDS).body()).isEqualTo("done");
      assertThat(shop.post("/slow", "", KEY, "k").body()).isEqualTo("done");
      assertThat(RUNS).hasValue(1);
    }
  }

  private static CompletableFuture<HttpResponse<String>> async(
      RunningApplication shop, String path, String key) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return shop.post(path, "", KEY, key);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void a_client_that_leaves_does_not_stop_what_it_began() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      try (Socket client = new Socket("localhost", shop.uri("/").getPort())) {
        client
            .getOutputStream()
            .write(
                String.join(
                        "\r\n",
                        "POST /slow HTTP/1.1",
                        "Host: localhost",
                        "Idempotency-Key: k",
                        "Content-Length: 0",
                        "",
                        "")
                    .getBytes(StandardCharsets.US_ASCII));
        client.getOutputStream().flush();
        assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
      }
      // The server has seen that it left when it has answered somebody who came later.
      assertThat(shop.post("/maybe", "").statusCode()).isEqualTo(200);
      later.complete("done");
      HttpResponse<String> retry = untilNotBusy(shop);
      assertThat(retry.body()).isEqualTo("done");
      assertThat(replayed(retry)).contains("true");
      assertThat(RUNS).hasValue(1);
    }
  }

  private static HttpResponse<String> untilNotBusy(RunningApplication shop) throws Exception {
    HttpResponse<String> retry = shop.post("/slow", "", KEY, "k");
    while (retry.statusCode() == 409) {
      retry = shop.post("/slow", "", KEY, "k");
    }
    return retry;
  }

  @Test
  void answers_without_a_body_are_replayed() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      assertThat(shop.post("/empty", "", KEY, "k").statusCode()).isEqualTo(204);
      HttpResponse<String> retry = shop.post("/empty", "", KEY, "k");
      assertThat(retry.statusCode()).isEqualTo(204);
      assertThat(replayed(retry)).contains("true");
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void streamed_answers_are_recorded_whole() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      String first = shop.post("/stream", "", KEY, "k").body();
      assertThat(first).startsWith("piece 0,piece 1,").endsWith("piece 99,");
      assertThat(shop.post("/stream", "", KEY, "k").body()).isEqualTo(first);
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void an_answer_past_the_limit_is_streamed_and_its_digest_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of("once.max-stored-body", "64"))) {
      String first = shop.post("/stream", "", KEY, "k").body();
      assertThat(first).startsWith("piece 0,piece 1,").endsWith("piece 99,");
      HttpResponse<String> retry = shop.post("/stream", "", KEY, "k");
      assertThat(replayed(retry)).contains("true");
      int bytes = JsonPath.read(retry.body(), "$.bytes");
      assertThat(bytes).isEqualTo(first.length());
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void an_exception_in_an_answer_past_the_limit_cuts_it_off_and_is_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of("once.max-stored-body", "64"))) {
      assertThat(received(shop)).as("nobody has all of it").doesNotContain("piece 99,");
      HttpResponse<String> retry = shop.post("/broken", "", KEY, "k");
      assertThat(retry.statusCode()).isEqualTo(500);
      assertThat(replayed(retry)).contains("true");
      assertThat(RUNS).hasValue(1);
    }
  }

  /** A server cuts it off, in a way that the client sees or not. */
  private static String received(RunningApplication shop) throws InterruptedException {
    try {
      return shop.post("/broken", "", KEY, "k").body();
    } catch (java.io.IOException e) {
      return "";
    }
  }

  @Test
  void what_the_exception_handlers_answer_is_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      HttpResponse<String> first = shop.post("/fails", "", KEY, "k");
      HttpResponse<String> retry = shop.post("/fails", "", KEY, "k");
      assertThat(first.statusCode()).isEqualTo(500);
      assertThat(first.body()).contains("\"path\":\"/fails\"");
      assertThat(retry.body()).isEqualTo(first.body());
      assertThat(replayed(retry)).contains("true");
      assertThat(shop.post("/broken", "", KEY, "other").statusCode()).isEqualTo(500);
      assertThat(shop.post("/rejects", "", KEY, "r").statusCode()).isEqualTo(422);
      assertThat(replayed(shop.post("/rejects", "", KEY, "r"))).contains("true");
      assertThat(RUNS).hasValue(3);
    }
  }

  /** Is told of executions that nobody knows the end of. */
  @Component
  static class Abandoned implements OnceListener {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void abandoned(Execution execution) {
      count.incrementAndGet();
    }
  }

  @Test
  void after_an_error_that_reactor_throws_nobody_knows_and_the_client_is_told_so()
      throws Exception {
    try (RunningApplication shop =
        RunningApplication.reactive(Map.of(), Shop.class, RecordedKeys.class, Abandoned.class)) {
      HttpResponse<String> first = shop.post("/fatal", "", KEY, "k");
      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.body()).contains("#outcome-unknown");
      assertThat(shop.bean(Abandoned.class).count).as("ends of the execution").hasValue(1);
      assertThat(shop.post("/fatal", "", KEY, "k").body()).contains("#still-running");
      keys(shop).clock().passes(Duration.ofMinutes(6));
      assertThat(shop.post("/fatal", "", KEY, "k").body()).contains("#outcome-unknown");
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void what_is_set_last_in_an_answer_without_a_body_is_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      HttpResponse<String> first = shop.post("/late-head", "", KEY, "k");
      HttpResponse<String> retry = shop.post("/late-head", "", KEY, "k");
      assertThat(first.headers().firstValue("X-Late")).contains("yes");
      assertThat(retry.headers().firstValue("X-Late")).contains("yes");
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void not_now_is_not_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      assertThat(shop.post("/too-early", "", KEY, "k").statusCode()).isEqualTo(429);
      assertThat(shop.post("/too-early", "", KEY, "k").statusCode()).isEqualTo(429);
      assertThat(RUNS).hasValue(2);
    }
  }

  @Test
  void not_here_is_not_recorded() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      assertThat(shop.post("/moved", "", KEY, "k").statusCode()).isEqualTo(308);
      assertThat(shop.post("/moved", "", KEY, "k").statusCode()).isEqualTo(308);
      assertThat(RUNS).hasValue(2);
    }
  }

  @Test
  void a_replay_allows_no_other_page_than_the_first_one() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      String allow = "Access-Control-Allow-Origin";
      String[] page = {KEY, "k", "Origin", "https://shop.example"};
      String[] other = {KEY, "k", "Origin", "https://other.example"};
      assertThat(shop.post("/allowed", "", page).headers().firstValue(allow)).isPresent();
      assertThat(shop.post("/allowed", "", page).headers().firstValue(allow)).isPresent();
      HttpResponse<String> replay = shop.post("/allowed", "", other);
      assertThat(replayed(replay)).contains("true");
      assertThat(replay.headers().firstValue(allow)).isEmpty();
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void parts_may_have_another_boundary_and_are_told_from_others() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      assertThat(parts(shop, "one", "text").body()).isEqualTo("parts [a]");
      assertThat(replayed(parts(shop, "two", "text"))).contains("true");
      assertThat(parts(shop, "one", "texts").statusCode()).isEqualTo(422);
      assertThat(RUNS).hasValue(1);
    }
  }

  private static HttpResponse<String> parts(RunningApplication shop, String boundary, String text)
      throws Exception {
    String body =
        "--%1$s\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n%2$s\r\n--%1$s--\r\n";
    return shop.post(
        "/parts",
        body.formatted(boundary, text),
        KEY,
        "k",
        "Content-Type",
        "multipart/form-data; boundary=" + boundary);
  }

  @Test
  void what_is_flushed_set_late_or_secret_comes_as_it_should() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      HttpResponse<String> first = shop.post("/flushed", "", KEY, "k");
      HttpResponse<String> retry = shop.post("/flushed", "", KEY, "k");
      assertThat(first.body()).isEqualTo("abc");
      assertThat(first.headers().firstValue("X-Late")).contains("yes");
      assertThat(first.headers().firstValue("Set-Cookie")).contains("session=secret");
      assertThat(retry.body()).isEqualTo("abc");
      assertThat(retry.headers().firstValue("X-Late")).contains("yes");
      assertThat(retry.headers().firstValue("Set-Cookie")).isEmpty();
    }
  }

  @Test
  void forms_stay_readable() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      String[] headers = {KEY, "k", "Content-Type", "application/x-www-form-urlencoded"};
      assertThat(shop.post("/form", "amount=10", headers).body()).isEqualTo("amount 10");
      assertThat(replayed(shop.post("/form", "amount=10", headers))).contains("true");
      assertThat(RUNS).hasValue(1);
    }
  }

  @Test
  void an_annotated_handler_is_in_scope_and_knows_its_execution() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      var none = java.net.http.HttpRequest.BodyPublishers.noBody();
      assertThat(shop.send(shop.request("/orders").PUT(none)).statusCode()).isEqualTo(400);
      HttpResponse<String> first = shop.send(shop.request("/orders", KEY, "k").PUT(none));
      assertThat(first.body()).isEqualTo("1 true");
      assertThat(replayed(shop.send(shop.request("/orders", KEY, "k").PUT(none)))).contains("true");
    }
  }

  /** Replies later, on a thread of its own, as a store behind a network does. */
  @Configuration(proxyBeanMethods = false)
  static class LateReplies {
    @Bean
    Store store() {
      Store memory = new MemoryStore();
      return (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (proxy, method, arguments) -> {
                Object reply = method.invoke(memory, arguments);
                return reply instanceof CompletionStage<?> stage ? late(stage) : reply;
              });
    }

    private static CompletableFuture<Object> late(CompletionStage<?> stage) {
      CompletableFuture<Object> later = new CompletableFuture<>();
      new Thread(
              () -> {
                LockSupport.parkNanos(50_000_000); // or else it might be there at once
                stage.thenAccept(later::complete);
              },
              "store")
          .start();
      return later;
    }
  }

  @Test
  void no_handler_runs_on_a_thread_of_the_store() throws Exception {
    try (RunningApplication shop =
        RunningApplication.reactive(Map.of(), Shop.class, LateReplies.class)) {
      String thread = shop.post("/thread", "", KEY, "k").body();
      assertThat(thread).isNotEqualTo("store");
      assertThat(shop.post("/thread", "", KEY, "k").body()).isEqualTo(thread);
    }
  }

  @Test
  void after_its_retention_a_key_is_new() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      shop.post("/payments", "10", KEY, "k");
      TestClock clock = keys(shop).clock();
      clock.passes(Duration.ofHours(24));
      assertThat(shop.post("/payments", "10", KEY, "k").body()).isEqualTo("2: 10");
    }
  }

  @Test
  void without_the_store_nothing_runs() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      keys(shop).goDown();
      assertThat(shop.post("/payments", "10", KEY, "k").statusCode()).isEqualTo(503);
      assertThat(RUNS).hasValue(0);
    }
  }

  @Test
  void what_becomes_of_requests_is_counted() throws Exception {
    try (RunningApplication shop = shop(Map.of())) {
      shop.post("/payments", "10", KEY, "k");
      shop.post("/payments", "10", KEY, "k");
      MeterRegistry registry = shop.bean(MeterRegistry.class);
      assertThat(registry.get("idempotency.misses").functionCounter().count()).isEqualTo(1);
      assertThat(registry.get("idempotency.hits").functionCounter().count()).isEqualTo(1);
    }
  }

  private static String basic(String user) {
    return "Basic "
        + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void the_user_is_the_principal_and_a_stranger_gets_401_and_no_replay() throws Exception {
    Map<String, Object> properties =
        Map.of("spring.security.user.name", "alice", "spring.security.user.password", "secret");
    try (RunningApplication shop =
        RunningApplication.securedReactive(
            properties, Shop.class, RecordedKeys.class, NoCsrf.class)) {
      assertThat(
              shop.post("/payments", "10", KEY, "k", "Authorization", basic("alice")).statusCode())
          .isEqualTo(201);
      assertThat(shop.post("/payments", "10", KEY, "k").statusCode()).isEqualTo(401);
      assertThat(replayed(shop.post("/payments", "10", KEY, "k", "Authorization", basic("alice"))))
          .contains("true");
      assertThat(keys(shop))
          .operation(new Scope("", "alice", ""), "k")
          .wasExecutedOnce()
          .wasReplayed(1);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoCsrf {
    @Bean
    org.springframework.security.web.server.SecurityWebFilterChain chain(
        org.springframework.security.config.web.server.ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
          .httpBasic(basic -> {})
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Tenants {
    @Bean
    ReactiveTenantResolver tenants() {
      return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Tenant"));
    }
  }

  @Test
  void the_tenant_is_the_resolvers() throws Exception {
    try (RunningApplication shop =
        RunningApplication.reactive(Map.of(), Shop.class, RecordedKeys.class, Tenants.class)) {
      assertThat(shop.post("/payments", "10", KEY, "k", "X-Tenant", "a").body()).isEqualTo("1: 10");
      assertThat(shop.post("/payments", "10", KEY, "k", "X-Tenant", "b").body()).isEqualTo("2: 10");
      assertThat(shop.post("/payments", "10", KEY, "k").statusCode()).isEqualTo(400);
      assertThat(keys(shop)).operation(new Scope("b", "", ""), "k").wasExecutedOnce();
    }
  }
}
