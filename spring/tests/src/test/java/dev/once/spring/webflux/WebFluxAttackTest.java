package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.core.store.Lease;
import dev.once.core.store.MemoryStore;
import dev.once.core.store.StoreException;
import dev.once.core.store.spi.ForwardingStore;
import dev.once.spring.OnceCustomizer;
import dev.once.spring.Running;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.Socket;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Experiments of a hostile reviewer. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class WebFluxAttackTest {

  private static final String KEY = "Idempotency-Key";
  private static final int PATIENCE = 6;
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static volatile CompletableFuture<Void> gate = new CompletableFuture<>();
  private static volatile CompletableFuture<Void> entered = new CompletableFuture<>();
  private static Running shop;
  private final String key = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    shop =
        Running.reactive(
            Map.of("once.max-stored-body", "100"),
            Keys.class,
            Ends.class,
            Context.class,
            Shop.class,
            Advised.class);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void reset() {
    RUNS.set(0);
    gate = new CompletableFuture<>();
    entered = new CompletableFuture<>();
    shop.bean(FailingStore.class).fails = false;
    shop.bean(Ends.class).ends.clear();
  }

  static final class FailingStore extends ForwardingStore {
    volatile boolean fails;

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
      return once -> once.storeTimeout(Duration.ofSeconds(1)).recordTimeout(Duration.ofSeconds(1));
    }
  }

  @Component
  static class Ends implements OnceListener {
    final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

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

    Optional<String> next() throws InterruptedException {
      return Optional.ofNullable(ends.poll(PATIENCE, TimeUnit.SECONDS));
    }
  }

  /** As Spring Security, traces and transactions do it. */
  @Component
  @Order(-1000)
  static class Context implements WebFilter {
    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      return chain.filter(exchange).contextWrite(context -> context.put("user", "alice"));
    }
  }

  private static DataBuffer buffer(String text) {
    return DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Flux<DataBuffer> pieces(int count) {
    return Flux.range(0, count).map(i -> buffer("piece number " + i + ", which is long\n"));
  }

  private static Flux<String> texts(int count) {
    return Flux.range(0, count).map(i -> "piece number " + i + ", which is long\n");
  }

  @RestController
  static class Shop {
    @PostMapping("/context")
    Flux<String> context() {
      RUNS.incrementAndGet();
      return Flux.deferContextual(
          context -> Flux.just("for ", context.getOrDefault("user", "nobody")));
    }

    @PostMapping("/context-mono")
    Mono<String> contextMono() {
      return Mono.deferContextual(
          context -> Mono.just("for " + context.getOrDefault("user", "nobody")));
    }

    @PostMapping(value = "/context-sse", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<String> contextSse() {
      return Flux.deferContextual(
          context -> Flux.just("for " + context.getOrDefault("user", "nobody")));
    }

    @PostMapping("/own-timeout")
    Mono<Void> ownTimeout(ServerHttpResponse response) {
      return response
          .writeWith(pieces(20).concatWith(Flux.never()))
          .timeout(Duration.ofMillis(500));
    }

    @PostMapping("/own-timeout-small")
    Mono<Void> ownTimeoutSmall(ServerHttpResponse response) {
      return response
          .writeWith(pieces(1).concatWith(Flux.never()))
          .timeout(Duration.ofMillis(500));
    }

    @PostMapping("/fails-before-commit-large")
    Mono<Void> failsBeforeCommit(ServerHttpResponse response) {
      response.beforeCommit(() -> Mono.error(new IllegalStateException("before commit")));
      return response.writeWith(pieces(20));
    }

    /** Large, and begins when the test says so. */
    @PostMapping("/gated-large")
    Mono<Void> gated(ServerHttpResponse response) {
      entered.complete(null);
      return Mono.fromFuture(gate, true).then(Mono.defer(() -> response.writeWith(pieces(20))));
    }

    @PostMapping("/huge")
    Mono<Void> huge(ServerHttpResponse response) {
      entered.complete(null);
      byte[] mega = new byte[1 << 20];
      return response.writeWith(
          Flux.range(0, 100)
              .map(i -> (DataBuffer) DefaultDataBufferFactory.sharedInstance.wrap(mega)));
    }

    @PostMapping("/throws-in-subscribe")
    Mono<Void> throwsInSubscribe(ServerHttpResponse response) {
      Publisher<DataBuffer> body =
          subscriber -> {
            throw new IllegalStateException("in subscribe");
          };
      return response.writeWith(body);
    }

    @PostMapping("/fatal-in-subscribe")
    Mono<Void> fatalInSubscribe(ServerHttpResponse response) {
      Publisher<DataBuffer> body =
          subscriber -> {
            throw new StackOverflowError("in subscribe");
          };
      return response.writeWith(body);
    }

    @PostMapping("/fatal-in-stream")
    Mono<Void> fatalInStream(ServerHttpResponse response) {
      return response.writeWith(
          pieces(20)
              .concatWith(
                  Mono.fromSupplier(
                      () -> {
                        throw new StackOverflowError("in stream");
                      })));
    }

    @PostMapping("/error-in-stream")
    Mono<Void> errorInStream(ServerHttpResponse response) {
      return response.writeWith(pieces(20).concatWith(Flux.error(new AssertionError("error"))));
    }

    @PostMapping("/fatal-small")
    Mono<Void> fatalSmall(ServerHttpResponse response) {
      return response.writeWith(
          pieces(1)
              .concatWith(
                  Mono.fromSupplier(
                      () -> {
                        throw new StackOverflowError("in stream");
                      })));
    }

    @PostMapping(value = "/sse-large", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<String>> sse() {
      return Flux.range(0, 50).map(i -> ServerSentEvent.builder("event " + i).build());
    }

    @PostMapping(value = "/sse-broken", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<String>> sseBroken() {
      return Flux.range(0, 50)
          .map(i -> ServerSentEvent.builder("event " + i).build())
          .concatWith(Flux.error(new IllegalStateException("half way")));
    }

    @PostMapping("/short-of-length")
    Mono<Void> shortOfLength(ServerHttpResponse response) {
      response.getHeaders().setContentLength(50);
      return response.writeWith(Mono.just(buffer("only this")));
    }

    @PostMapping("/204-with-body")
    ResponseEntity<String> noContentWithBody() {
      return ResponseEntity.status(204).body("surprise");
    }

    @PostMapping("/swallows")
    Mono<Void> swallows(ServerHttpResponse response) {
      return response
          .writeWith(pieces(20).concatWith(Flux.error(new IllegalStateException("half way"))))
          .onErrorResume(any -> Mono.empty());
    }

    @PostMapping("/two-at-once")
    Mono<Void> twoAtOnce(ServerHttpResponse response) {
      return Mono.when(
          response.writeWith(
              Flux.just(buffer("a1"), buffer("a2")).delayElements(Duration.ofMillis(100))),
          response.writeWith(
              Flux.just(buffer("b1"), buffer("b2")).delayElements(Duration.ofMillis(130))));
    }

    @PostMapping("/null-piece")
    Mono<Void> nullPiece(ServerHttpResponse response) {
      return response.writeWith(pieces(3).map(piece -> null));
    }
  }

  @RestController
  static class Advised {
    @PostMapping("/advised/broken")
    Flux<String> broken() {
      RUNS.incrementAndGet();
      return texts(20).concatWith(Flux.error(new IllegalStateException("half way")));
    }

    @PostMapping("/advised/large")
    Flux<String> large() {
      RUNS.incrementAndGet();
      return texts(20);
    }

    @ExceptionHandler(Exception.class)
    ResponseEntity<String> any(Exception e) {
      return ResponseEntity.status(500).body("advice: " + e.getMessage());
    }
  }

  // Clients.

  private HttpResponse<String> post(String path, String... headers) throws Exception {
    String[] all = headers.length == 0 ? new String[] {KEY, key} : headers;
    return shop.send(
        shop.request(path, all)
            .timeout(Duration.ofSeconds(PATIENCE))
            .POST(BodyPublishers.ofString("a")));
  }

  private HttpResponse<String> postWithoutKey(String path) throws Exception {
    return post(path, "X-None", "x");
  }

  /** What comes over the wire, until the server closes or is silent. */
  private String raw(String path, boolean withKey) throws Exception {
    try (Socket socket = new Socket("localhost", shop.uri("/").getPort())) {
      socket.setSoTimeout(4000);
      ask(socket, path, withKey);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      InputStream in = socket.getInputStream();
      byte[] some = new byte[65536];
      try {
        for (int n; (n = in.read(some)) >= 0; ) {
          all.write(some, 0, n);
        }
      } catch (java.net.SocketTimeoutException e) {
        all.writeBytes("<silence>".getBytes(StandardCharsets.UTF_8));
      } catch (java.net.SocketException e) {
        all.writeBytes("<reset>".getBytes(StandardCharsets.UTF_8));
      }
      return all.toString(StandardCharsets.UTF_8);
    }
  }

  private void ask(Socket socket, String path, boolean withKey) throws Exception {
    String request =
        "POST %s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\nContent-Length: 1\r\n\r\na"
            .formatted(path, withKey ? KEY + ": " + key + "\r\n" : "");
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  private static Optional<String> nextEnd() throws InterruptedException {
    return shop.bean(Ends.class).next();
  }

  private static void noMoreEnds() throws InterruptedException {
    Thread.sleep(300);
    assertThat(shop.bean(Ends.class).ends).isEmpty();
  }

  private static boolean looksWhole(String raw) {
    return raw.endsWith("\r\n0\r\n\r\n");
  }

  // Context.

  @Test
  void a_body_sees_the_context_that_filters_outside_have_written() throws Exception {
    assertThat(postWithoutKey("/context").body()).isEqualTo("for alice");
    assertThat(post("/context").body()).isEqualTo("for alice");
  }

  @Test
  void a_mono_sees_the_context() throws Exception {
    assertThat(post("/context-mono").body()).isEqualTo("for alice");
  }

  @Test
  void events_see_the_context() throws Exception {
    assertThat(postWithoutKey("/context-sse").body()).contains("for alice");
    assertThat(post("/context-sse").body()).contains("for alice");
  }

  // Advice.

  @Test
  void half_a_large_answer_is_cut_off_also_if_an_exception_handler_answers() throws Exception {
    String without = raw("/advised/broken", false);
    System.out.println("WITHOUT " + without.substring(Math.max(0, without.length() - 120)));
    String with = raw("/advised/broken", true);
    System.out.println("WITH " + with.substring(Math.max(0, with.length() - 120)));
    assertThat(nextEnd()).contains("ended 500");
    assertThat(looksWhole(with)).isFalse();
  }

  @Test
  void a_large_answer_that_is_not_recorded_is_cut_off_also_if_an_exception_handler_answers()
      throws Exception {
    shop.bean(FailingStore.class).fails = true;
    String with = raw("/advised/large", true);
    System.out.println("NOT RECORDED " + with.substring(Math.max(0, with.length() - 120)));
    assertThat(nextEnd()).contains("refused");
    assertThat(looksWhole(with)).isFalse();
  }

  @Test
  void half_a_large_answer_whose_error_is_swallowed() throws Exception {
    String without = raw("/swallows", false);
    System.out.println("SWALLOWS WITHOUT " + looksWhole(without));
    String with = raw("/swallows", true);
    System.out.println("SWALLOWS WITH " + looksWhole(with));
    System.out.println("SWALLOWS END " + nextEnd());
  }

  // Handler's own cancel.

  @Test
  void a_handler_that_gives_its_large_body_up_ends() throws Exception {
    String with = raw("/own-timeout", true);
    System.out.println("OWN TIMEOUT " + with.substring(Math.max(0, with.length() - 80)));
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void a_handler_that_gives_its_small_body_up_ends() throws Exception {
    assertThat(post("/own-timeout-small").statusCode()).isEqualTo(500);
    assertThat(nextEnd()).contains("ended 500");
  }

  @Test
  void a_large_answer_that_fails_before_its_commit_is_recorded_as_it_was_answered()
      throws Exception {
    HttpResponse<String> without = postWithoutKey("/fails-before-commit-large");
    HttpResponse<String> first = post("/fails-before-commit-large");
    System.out.println("BEFORE COMMIT " + without.statusCode() + " " + first.statusCode());
    Optional<String> end = nextEnd();
    HttpResponse<String> retry = post("/fails-before-commit-large");
    System.out.println("BEFORE COMMIT " + end + " retry " + retry.statusCode());
    assertThat(retry.statusCode()).isEqualTo(first.statusCode());
  }

  // Clients that leave.

  @Test
  void a_client_that_left_before_a_large_answer_began() throws Exception {
    try (Socket socket = new Socket("localhost", shop.uri("/").getPort())) {
      ask(socket, "/gated-large", true);
      entered.get(PATIENCE, TimeUnit.SECONDS);
    }
    Thread.sleep(300);
    gate.complete(null);
    assertThat(nextEnd()).contains("ended 200");
    noMoreEnds();
  }

  @Test
  void a_client_that_leaves_in_the_middle_of_a_large_answer() throws Exception {
    try (Socket socket = new Socket("localhost", shop.uri("/").getPort())) {
      ask(socket, "/huge", true);
      socket.getInputStream().readNBytes(100_000);
      Thread.sleep(500);
    }
    assertThat(nextEnd()).contains("ended 200");
    noMoreEnds();
  }

  @Test
  void a_client_that_stops_reading_and_then_goes_on() throws Exception {
    try (Socket socket = new Socket("localhost", shop.uri("/").getPort())) {
      ask(socket, "/huge", true);
      socket.getInputStream().readNBytes(100_000);
      Thread.sleep(1000);
      assertThat(shop.bean(Ends.class).ends).isEmpty();
      long read = socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      assertThat(read).isGreaterThan(100L << 20 - 100_000);
    }
    assertThat(nextEnd()).contains("ended 200");
    noMoreEnds();
  }

  // Publishers that misbehave.

  @Test
  void a_body_that_throws_when_it_is_subscribed_to() throws Exception {
    System.out.println("THROWS " + postWithoutKey("/throws-in-subscribe").statusCode());
    assertThat(post("/throws-in-subscribe").statusCode()).isEqualTo(500);
    assertThat(nextEnd()).contains("ended 500");
    noMoreEnds();
  }

  @Test
  void a_body_that_throws_what_is_fatal_when_it_is_subscribed_to() throws Exception {
    assertThat(post("/fatal-in-subscribe").statusCode()).isEqualTo(409);
    assertThat(nextEnd()).contains("abandoned");
    noMoreEnds();
  }

  @Test
  void a_fatal_error_in_a_small_body() throws Exception {
    assertThat(post("/fatal-small").statusCode()).isEqualTo(409);
    assertThat(nextEnd()).contains("abandoned");
    noMoreEnds();
  }

  @Test
  void a_fatal_error_in_a_large_body() throws Exception {
    String with = raw("/fatal-in-stream", true);
    System.out.println("FATAL " + with.substring(Math.max(0, with.length() - 80)));
    assertThat(looksWhole(with)).isFalse();
    assertThat(nextEnd()).contains("abandoned");
    noMoreEnds();
  }

  @Test
  void an_error_in_a_large_body() throws Exception {
    String with = raw("/error-in-stream", true);
    assertThat(looksWhole(with)).isFalse();
    assertThat(nextEnd()).contains("abandoned");
    noMoreEnds();
  }

  @Test
  void a_null_piece() throws Exception {
    assertThat(post("/null-piece").statusCode()).isEqualTo(500);
    assertThat(nextEnd()).contains("ended 500");
    noMoreEnds();
  }

  // Events, lengths and other oddities.

  @Test
  void events_that_are_too_large_to_keep() throws Exception {
    String with = raw("/sse-large", true);
    assertThat(looksWhole(with)).isTrue();
    assertThat(with).contains("event 49");
    assertThat(nextEnd()).contains("ended 200");
    noMoreEnds();
  }

  @Test
  void events_that_break_off() throws Exception {
    String with = raw("/sse-broken", true);
    assertThat(looksWhole(with)).isFalse();
    assertThat(nextEnd()).contains("ended 500");
    noMoreEnds();
  }

  @Test
  void an_answer_that_is_shorter_than_it_says() throws Exception {
    String without = raw("/short-of-length", false);
    String with = raw("/short-of-length", true);
    System.out.println("SHORT WITHOUT " + without.replace("\r\n", "|"));
    System.out.println("SHORT WITH " + with.replace("\r\n", "|"));
    System.out.println("SHORT END " + nextEnd());
    System.out.println("SHORT RETRY " + raw("/short-of-length", true).replace("\r\n", "|"));
  }

  @Test
  void no_content_with_a_body() throws Exception {
    System.out.println("204 WITHOUT " + raw("/204-with-body", false).replace("\r\n", "|"));
    System.out.println("204 WITH " + raw("/204-with-body", true).replace("\r\n", "|"));
    System.out.println("204 RETRY " + raw("/204-with-body", true).replace("\r\n", "|"));
  }

  @Test
  void two_bodies_at_once() throws Exception {
    System.out.println("TWO WITHOUT " + postWithoutKey("/two-at-once").body());
    System.out.println("TWO WITH " + post("/two-at-once").body());
    System.out.println("TWO RETRY " + post("/two-at-once").body());
  }
}
