package dev.once.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.spring.RunningApplication;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * WebFlux on Tomcat, which gives the objects of a request to another one as soon as it is over, and
 * whose requests over HTTP/2 say less in their fields.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class WebFluxOnTomcatTest {

  private static final String KEY = "Idempotency-Key";
  private static final Map<String, Object> HTTP_2 = Map.of("server.http2.enabled", "true");

  /** Not waited for unless a test fails. */
  private static final int TIMEOUT_SECONDS = 300;

  private static final AtomicInteger RUNS = new AtomicInteger();

  private static RunningApplication shop;

  private final String key = UUID.randomUUID().toString();
  private final HttpClient http1 = client(HttpClient.Version.HTTP_1_1);
  private final HttpClient http2 = client(HttpClient.Version.HTTP_2);

  /** Made anew for each test, and asked by the application. */
  private static volatile Signals signals = new Signals();

  private static final class Signals {
    private final Semaphore alicesBegun = new Semaphore(0);
    private final Semaphore alicesEnded = new Semaphore(0);
    private final Semaphore bobsBegun = new Semaphore(0);
    private final CompletableFuture<Void> timeout = new CompletableFuture<>();
    private final CompletableFuture<Void> alices = new CompletableFuture<>();
    private final CompletableFuture<Void> bobs = new CompletableFuture<>();
  }

  @BeforeAll
  static void start() {
    shop = RunningApplication.reactive(HTTP_2, Tomcat.class, Ends.class, Outside.class, Shop.class);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void reset() {
    RUNS.set(0);
    signals = new Signals();
  }

  // What the application is made of.

  @Configuration(proxyBeanMethods = false)
  @Import(TomcatOfThisBoot.class)
  static class Tomcat {}

  static class TomcatOfThisBoot implements ImportSelector {
    @Override
    public String[] selectImports(AnnotationMetadata importing) {
      return Stream.of(
              "org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory",
              "org.springframework.boot.web.embedded.tomcat.TomcatReactiveWebServerFactory")
          .filter(name -> ClassUtils.isPresent(name, getClass().getClassLoader()))
          .toArray(String[]::new);
    }
  }

  @Component
  static class Ends implements OnceListener {
    @Override
    public void ended(Execution execution, Result result) {
      signals.alicesEnded.release();
    }
  }

  @Component
  @Order(-1000)
  static class Outside implements WebFilter {
    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      String path = exchange.getRequest().getPath().value();
      if (path.equals("/form")) { // as one against CSRF does
        return exchange.getFormData().then(chain.filter(exchange));
      }
      if (path.equals("/logged")) { // and keeps nothing of it
        return DataBufferUtils.join(exchange.getRequest().getBody())
            .doOnNext(DataBufferUtils::release)
            .then(chain.filter(exchange));
      }
      if (!path.equals("/alice")) {
        return chain.filter(exchange);
      }
      ServerHttpResponse response = exchange.getResponse();
      Mono<Void> instead =
          Mono.fromFuture(signals.timeout, true)
              .then(
                  Mono.defer(
                      () -> {
                        response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
                        return response.setComplete();
                      }));
      return Mono.firstWithSignal(chain.filter(exchange), instead);
    }
  }

  @RestController
  static class Shop {
    @GetMapping("/hello")
    String hello() {
      return "hello";
    }

    @PostMapping("/pay")
    String pay(@RequestBody String payment) {
      return RUNS.incrementAndGet() + ": " + payment;
    }

    @PostMapping("/form")
    Mono<String> form(ServerWebExchange exchange) {
      return exchange.getFormData().map(form -> "amount " + form.getFirst("amount"));
    }

    @PostMapping("/maybe")
    String maybe(@RequestBody(required = false) String payment) {
      return RUNS.incrementAndGet() + ": " + payment;
    }

    @PostMapping("/logged")
    String logged() {
      return "" + RUNS.incrementAndGet();
    }

    @PostMapping("/alice")
    Mono<String> alice(ServerWebExchange exchange) {
      signals.alicesBegun.release();
      return Mono.fromFuture(signals.alices, true)
          .then(
              Mono.fromSupplier(
                  () -> "charged " + exchange.getRequest().getHeaders().getFirst("X-User")));
    }

    @PostMapping("/bob")
    Mono<String> bob() {
      signals.bobsBegun.release();
      return Mono.fromFuture(signals.bobs, true).thenReturn("bob's");
    }
  }

  // Clients.

  private static HttpClient client(HttpClient.Version version) {
    return HttpClient.newBuilder().version(version).build();
  }

  private static HttpRequest.Builder request(URI uri, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(TIMEOUT_SECONDS));
    return headers.length == 0 ? request : request.headers(headers);
  }

  private static HttpRequest post(String path, String... headers) {
    return request(shop.uri(path), headers).POST(BodyPublishers.ofString("a")).build();
  }

  private static CompletableFuture<HttpResponse<String>> meanwhile(
      HttpClient client, HttpRequest request) {
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  /** The first request goes by HTTP/1.1, and asks for HTTP/2. */
  private HttpResponse<String> overHttp2(URI uri, BodyPublisher body, String... headers)
      throws Exception {
    send(http2, request(uri.resolve("/hello")).GET().build());
    HttpResponse<String> answer = send(http2, request(uri, headers).POST(body).build());
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
    return answer;
  }

  private static void await(Semaphore events, int count) throws InterruptedException {
    assertThat(events.tryAcquire(count, TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static Optional<String> replayed(HttpResponse<String> response) {
    return response.headers().firstValue("Idempotent-Replayed");
  }

  // A request whose objects are another's by now.

  @Test
  void a_handler_for_which_nobody_waits_reads_its_own_fields_when_the_connection_has_gone_on()
      throws Exception {
    String[] alice = {"X-User", "alice", KEY, key};
    CompletableFuture<HttpResponse<String>> first = meanwhile(http1, post("/alice", alice));
    await(signals.alicesBegun, 1);
    signals.timeout.complete(null);
    assertThat(first.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(504);
    CompletableFuture<HttpResponse<String>> other = meanwhile(http1, post("/bob", "X-User", "bob"));
    await(signals.bobsBegun, 1);
    signals.alices.complete(null);
    await(signals.alicesEnded, 1);
    signals.bobs.complete(null);
    assertThat(other.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).body()).isEqualTo("bob's");
    signals = new Signals();
    HttpResponse<String> retry = send(http1, post("/alice", alice));
    assertThat(replayed(retry)).contains("true");
    assertThat(retry.body()).isEqualTo("charged alice");
  }

  // What a request says over HTTP/2.

  @Test
  void a_retry_over_another_version_of_http_is_the_same_request() throws Exception {
    assertThat(send(http1, post("/pay", KEY, key)).body()).isEqualTo("1: a");
    HttpResponse<String> retry =
        overHttp2(shop.uri("/pay"), BodyPublishers.ofString("a"), KEY, key);
    assertThat(retry.statusCode()).isEqualTo(200);
    assertThat(retry.body()).isEqualTo("1: a");
    assertThat(replayed(retry)).contains("true");
  }

  @Test
  void requests_to_two_hosts_are_two_requests_over_http_2() throws Exception {
    URI one = shop.uri("/pay");
    URI other = URI.create("http://127.0.0.1:" + one.getPort() + "/pay");
    BodyPublisher body = BodyPublishers.ofString("a");
    assertThat(overHttp2(one, body, KEY, key).statusCode()).isEqualTo(200);
    HttpResponse<String> second = overHttp2(other, body, KEY, key);
    assertThat(second.statusCode()).isEqualTo(422);
    assertThat(replayed(second)).isEmpty();
  }

  private static BodyPublisher unsized(String text) {
    return BodyPublishers.ofInputStream(
        () -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void a_body_without_a_length_is_a_body_over_http_2() throws Exception {
    BodyPublisher unsized = unsized("10 EUR");
    Map<String, Object> withBodiesOnly =
        Map.of("server.http2.enabled", "true", "once.profile", "srs016");
    try (RunningApplication bank =
        RunningApplication.reactive(withBodiesOnly, Tomcat.class, Shop.class)) {
      assertThat(overHttp2(bank.uri("/pay"), unsized, KEY, key).body()).isEqualTo("1: 10 EUR");
      assertThat(overHttp2(bank.uri("/pay"), unsized, KEY, key).body()).isEqualTo("1: 10 EUR");
    }
    assertThat(RUNS).hasValue(1);
  }

  // What a filter outside has read.

  @Test
  void a_form_without_a_length_that_a_filter_outside_has_read_is_still_there_over_http_2()
      throws Exception {
    String[] headers = {KEY, key, "Content-Type", "application/x-www-form-urlencoded"};
    URI uri = shop.uri("/form");
    assertThat(overHttp2(uri, unsized("amount=7"), headers).body()).isEqualTo("amount 7");
    assertThat(overHttp2(uri, unsized("amount=7"), headers).body()).isEqualTo("amount 7");
    assertThat(overHttp2(uri, unsized("amount=8"), headers).statusCode()).isEqualTo(422);
  }

  /** It would fit every other one. */
  @Test
  void a_body_without_a_length_that_a_filter_outside_has_read_does_not_pass_for_an_empty_one()
      throws Exception {
    assertThat(overHttp2(shop.uri("/logged"), unsized("10 EUR"), KEY, key).statusCode())
        .isEqualTo(500);
    HttpRequest inChunks = request(shop.uri("/logged"), KEY, key).POST(unsized("10 EUR")).build();
    assertThat(send(http1, inChunks).statusCode()).isEqualTo(500);
    assertThat(RUNS).hasValue(0);
  }

  @Test
  void an_empty_body_in_chunks_is_an_empty_body() throws Exception {
    HttpRequest inChunks = request(shop.uri("/maybe"), KEY, key).POST(unsized("")).build();
    assertThat(send(http1, inChunks).body()).isEqualTo("1: null");
    HttpResponse<String> retry = overHttp2(shop.uri("/maybe"), unsized(""), KEY, key);
    assertThat(retry.body()).isEqualTo("1: null");
    assertThat(replayed(retry)).contains("true");
  }
}
