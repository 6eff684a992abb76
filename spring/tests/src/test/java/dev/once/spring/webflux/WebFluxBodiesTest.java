package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.StoreException;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.spring.OnceCustomizer;
import dev.once.spring.RunningApplication;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Bodies in WebFlux: what they see, and what becomes of those that break off, are given up, or meet
 * another one.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class WebFluxBodiesTest {

  private static final String KEY = "Idempotency-Key";
  private static final int TIMEOUT_SECONDS = 300;

  private static RunningApplication shop;

  /** Ends what waits for it; a test decides when. */
  private static volatile CompletableFuture<Void> tooLate = new CompletableFuture<>();

  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    shop =
        RunningApplication.reactive(
            Map.of(
                "once.max-stored-body", "100",
                "once.routes[0].match", "/small/**",
                "once.routes[0].max-stored-body", "1m"),
            Keys.class,
            Ends.class,
            User.class,
            Inside.class,
            Errors.class,
            Shop.class,
            Advised.class);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void reset() {
    tooLate = new CompletableFuture<>();
    shop.bean(FailingStore.class).fails = false;
    shop.bean(Ends.class).ends.clear();
  }

  static final class FailingStore extends ForwardingStore {
    private volatile boolean fails;

    FailingStore() {
      super(new MemoryStore());
    }

    @Override
    public CompletionStage<Boolean> complete(Lease lease, Answer answer, Duration retention) {
      return fails
          ? CompletableFuture.failedFuture(new StoreException("told to fail", null))
          : super.complete(lease, answer, retention);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Keys {
    @Bean
    FailingStore store() {
      return new FailingStore();
    }

    @Bean
    OnceCustomizer impatient() {
      return once -> once.recordTimeout(Duration.ofMillis(100));
    }
  }

  @Component
  static class Ends implements OnceListener {
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    @Override
    public void ended(Execution execution, Result result) {
      ends.add(
          result instanceof Result.Executed executed
              ? "ended " + executed.answer().code()
              : "refused");
    }

    @Override
    public void released(Execution execution) {
      ends.add("released");
    }

    @Override
    public void abandoned(Execution execution) {
      ends.add("abandoned");
    }
  }

  /** As Spring Security, traces and transactions do it. */
  @Component
  @Order(-1000)
  static class User implements WebFilter {
    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      String path = exchange.getRequest().getPath().value();
      Mono<?> read = Mono.empty();
      if (path.equals("/small/form")) {
        read = exchange.getFormData(); // as one against CSRF does
      } else if (path.equals("/small/logged")) {
        read = exchange.getRequest().getBody().doOnNext(DataBufferUtils::release).then();
      }
      return read.then(chain.filter(exchange))
          .contextWrite(context -> context.put("user", "alice"));
    }
  }

  /** A filter of the application's, within ours: answers if it takes too long. */
  @Component
  static class Inside implements WebFilter {
    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      Mono<Void> instead =
          Mono.fromFuture(() -> tooLate, true)
              .then(
                  Mono.defer(
                      () -> {
                        ServerHttpResponse response = exchange.getResponse();
                        response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
                        response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
                        return response.writeWith(Mono.just(buffer("took too long")));
                      }));
      return Mono.firstWithSignal(chain.filter(exchange), instead);
    }
  }

  static final class Page extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static final class Silent extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Component
  @Order(-10)
  static class Errors implements WebExceptionHandler {
    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
      ServerHttpResponse response = exchange.getResponse();
      if (failure instanceof Page && !response.isCommitted()) {
        response.setStatusCode(HttpStatus.CONFLICT);
        return response.writeWith(
            pieces().concatWith(Flux.error(new IllegalStateException("in the page"))));
      }
      if (failure instanceof Silent) {
        response.setStatusCode(HttpStatus.CONFLICT);
        return Mono.empty();
      }
      return Mono.error(failure);
    }
  }

  private static DataBuffer buffer(String text) {
    return DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Flux<DataBuffer> pieces() {
    return texts().map(WebFluxBodiesTest::buffer);
  }

  /** More than a server holds back before it sends the first of it. */
  private static Flux<String> texts() {
    return Flux.range(0, 40).map(i -> i + "x".repeat(1000));
  }

  @RestController
  static class Shop {
    @PostMapping("/small/context")
    Flux<String> context() {
      return Flux.deferContextual(
          context -> Flux.just("for ", context.getOrDefault("user", "nobody")));
    }

    @PostMapping(value = "/small/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<String> events() {
      return context();
    }

    @PostMapping("/small/form")
    Mono<String> form(ServerWebExchange exchange) {
      return exchange.getFormData().map(form -> "amount " + form.getFirst("amount"));
    }

    @PostMapping("/small/logged")
    String logged() {
      return "done";
    }

    @PostMapping("/small/never-answered")
    Mono<Void> neverAnswered(ServerHttpResponse response) {
      response.beforeCommit(() -> Mono.error(new IllegalStateException("before the commit")));
      return Mono.error(new Silent());
    }

    /** Begins, and is given up. */
    @PostMapping("/small/slow")
    Flux<String> slow() {
      return Flux.just("begun ").concatWith(Flux.defer(WebFluxBodiesTest::never));
    }

    @PostMapping("/large/slow")
    Flux<String> slowAndLarge() {
      return texts().concatWith(Flux.defer(WebFluxBodiesTest::never));
    }

    @PostMapping("/large/given-up")
    Mono<Void> givenUp(ServerHttpResponse response) {
      return Mono.firstWithSignal(
          response.writeWith(pieces().concatWith(Flux.defer(WebFluxBodiesTest::never))),
          Mono.fromFuture(() -> tooLate, true).then(Mono.error(new IllegalStateException("late"))));
    }

    @PostMapping("/large/before-commit")
    Mono<Void> failsBeforeCommit(ServerHttpResponse response) {
      response.beforeCommit(() -> Mono.error(new IllegalStateException("before the commit")));
      return response.writeWith(pieces());
    }

    @PostMapping("/large/page")
    Mono<String> page() {
      return Mono.error(new Page());
    }
  }

  /** It is late when all that comes before was sent. */
  private static <T> Flux<T> never() {
    CompletableFuture.runAsync(() -> tooLate.complete(null));
    return Flux.never();
  }

  @RestController
  static class Advised {
    @PostMapping("/large/broken")
    Flux<String> broken() {
      return texts().concatWith(Flux.error(new IllegalStateException("half way")));
    }

    @PostMapping("/large/whole")
    Flux<String> whole() {
      return texts();
    }

    @ExceptionHandler(Exception.class)
    ResponseEntity<String> any(Exception failure) {
      return ResponseEntity.status(500).body("advice: " + failure.getMessage());
    }
  }

  private HttpResponse<String> post(String path, String... headers) throws Exception {
    return shop.send(
        shop.request(path, headers.length == 0 ? new String[] {KEY, key} : headers)
            .timeout(Duration.ofSeconds(TIMEOUT_SECONDS))
            .POST(BodyPublishers.ofString("a")));
  }

  private void assertCutOff(String path) {
    assertThatThrownBy(() -> post(path)).isInstanceOf(IOException.class);
  }

  private static Optional<String> nextEnd() throws InterruptedException {
    return Optional.ofNullable(shop.bean(Ends.class).ends.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
  }

  // What they see.

  @Test
  void a_body_sees_the_context_that_filters_outside_have_written() throws Exception {
    assertThat(post("/small/context", "X-None", "x").body()).isEqualTo("for alice");
    assertThat(post("/small/context").body()).isEqualTo("for alice");
  }

  @Test
  void events_see_the_context_that_filters_outside_have_written() throws Exception {
    assertThat(post("/small/events").body()).contains("for").contains("alice");
  }

  // Half of a large one.

  @Test
  void half_of_one_is_cut_off_also_if_an_exception_handler_answers() throws Exception {
    assertCutOff("/large/broken");
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void one_that_is_not_recorded_is_cut_off_also_if_an_exception_handler_answers() throws Exception {
    shop.bean(FailingStore.class).fails = true;
    assertCutOff("/large/whole");
    assertThat(nextEnd()).contains("refused");
  }

  @Test
  void half_of_an_error_page_is_cut_off() throws Exception {
    assertCutOff("/large/page");
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void one_that_its_handler_gives_up_is_cut_off_and_a_failure() throws Exception {
    assertCutOff("/large/given-up");
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void one_that_a_filter_gives_up_is_cut_off_and_a_failure() throws Exception {
    assertCutOff("/large/slow");
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void one_that_fails_before_its_head_is_sent_is_answered_and_recorded_as_a_failure()
      throws Exception {
    assertThat(post("/large/before-commit").statusCode()).isEqualTo(500);
    assertThat(nextEnd()).contains("ended 500");
    assertThat(post("/large/before-commit").statusCode()).isEqualTo(500);
  }

  // Two of them.

  @Test
  void one_that_is_given_up_takes_nothing_of_the_answer_in_its_place() throws Exception {
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer = post("/small/slow");
      assertThat(answer.statusCode()).as(i + ": " + answer.headers()).isEqualTo(504);
      assertThat(answer.body()).isEqualTo("took too long");
      assertThat(answer.headers().firstValue("Content-Type"))
          .as(i + ": " + answer.headers())
          .contains("text/plain");
    }
    assertThat(nextEnd()).contains("ended 504");
  }

  @Test
  void an_error_whose_answer_fails_ends_the_execution() throws Exception {
    assertThat(post("/small/never-answered").statusCode()).isEqualTo(500);
    assertThat(nextEnd()).contains("abandoned");
  }

  // Forms.

  /** Without a length. */
  private static BodyPublisher inChunks(String text) {
    return BodyPublishers.ofInputStream(
        () -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private HttpResponse<String> form(BodyPublisher text) throws Exception {
    return shop.send(
        shop.request("/small/form", KEY, key, "Content-Type", "application/x-www-form-urlencoded")
            .timeout(Duration.ofSeconds(TIMEOUT_SECONDS))
            .POST(text));
  }

  private HttpResponse<String> form(String text) throws Exception {
    return form(BodyPublishers.ofString(text));
  }

  @Test
  void a_form_that_a_filter_outside_has_read_is_still_there() throws Exception {
    assertThat(form("amount=7").body()).isEqualTo("amount 7");
    assertThat(form("amount=7").body()).isEqualTo("amount 7");
    assertThat(form("amount=8").statusCode()).isEqualTo(422);
  }

  @Test
  void a_form_in_chunks_that_a_filter_outside_has_read_is_still_there() throws Exception {
    assertThat(form(inChunks("amount=7")).body()).isEqualTo("amount 7");
    assertThat(form(inChunks("amount=8")).statusCode()).isEqualTo(422);
  }

  @Test
  void an_empty_form_in_chunks_is_an_empty_form() throws Exception {
    assertThat(form(inChunks("")).body()).isEqualTo("amount null");
  }

  private int statusInChunks(String path, String body) throws Exception {
    return shop.send(shop.request(path, KEY, key).POST(inChunks(body))).statusCode();
  }

  @Test
  void an_empty_body_in_chunks_is_an_empty_body() throws Exception {
    assertThat(statusInChunks("/small/context", "")).isEqualTo(200);
    assertThat(statusInChunks("/small/context", "a")).isEqualTo(422);
  }

  /** It would fit every other one. */
  @Test
  void a_body_that_a_filter_outside_has_read_does_not_pass_for_an_empty_one() throws Exception {
    assertThat(post("/small/logged").statusCode()).isEqualTo(500);
    assertThat(statusInChunks("/small/logged", "a")).isEqualTo(500);
    assertThat(statusInChunks("/small/logged", "")).isEqualTo(200);
  }
}
