package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.core.NotRunException;
import dev.once.core.OnceListener;
import dev.once.core.Result;
import dev.once.spring.Client.Reply;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Spring's own filters and Spring Security around handlers that answer later, parts that a handler
 * includes, and HTTP/2 on Tomcat.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class FiltersOutsideTest {

  private static final int TIMEOUT_SECONDS = 300;
  private static final int PIECES = 300;
  private static final String PIECE = "0123456789".repeat(100);

  private static final AtomicInteger CALLS = new AtomicInteger();
  private static final BlockingQueue<String> ENDS = new LinkedBlockingQueue<>();

  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    context =
        Application.of(Outside.class, Leaving.class, Ends.class, Payments.class)
            .with(Application.Part.SECURITY)
            .with("spring.mvc.hiddenmethod.filter.enabled", "true")
            .with("server.http2.enabled", "true")
            .with("once.max-stored-body", "10k")
            .start();
    client = new Client(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Configuration
  @EnableWebSecurity
  static class Outside {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .exceptionHandling(
              errors ->
                  errors.authenticationEntryPoint(
                      (request, response, denied) -> {
                        if (request.getRequestURI().endsWith("/page")) {
                          response.sendError(403);
                        } else {
                          response.setStatus(403);
                          response.getWriter().print("not you");
                          response.flushBuffer();
                        }
                      }))
          .build();
    }

    @Bean
    FilterRegistrationBean<Filter> etag() {
      FilterRegistrationBean<Filter> registration =
          new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
      registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 2);
      registration.setUrlPatterns(List.of("/etag/*"));
      return registration;
    }
  }

  /** Tells how executions end. */
  static class Ends implements OnceListener {
    @Override
    public void ended(Execution execution, Result result) {
      ENDS.add("ended");
    }

    @Override
    public void released(Execution execution) {
      ENDS.add("released");
    }

    @Override
    public void abandoned(Execution execution) {
      ENDS.add("abandoned");
    }
  }

  /**
   * A client leaves while a Callable runs: Tomcat tells of that, and the Callable's thread is the
   * first to ask for the dispatch, before Spring's listener does.
   */
  static class Leaving implements WebMvcConfigurer, CallableProcessingInterceptor {
    static final CountDownLatch RUNNING = new CountDownLatch(1);
    static final CountDownLatch TOLD = new CountDownLatch(1);
    static final CountDownLatch DISPATCHED = new CountDownLatch(1);

    @Override
    public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
      configurer.registerCallableInterceptors(this);
      SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor();
      executor.setTaskDecorator(
          task ->
              () -> {
                task.run();
                if (TOLD.getCount() == 0) {
                  DISPATCHED.countDown();
                }
              });
      configurer.setTaskExecutor(executor);
    }

    /** Tomcat tells of an error page too: that one waits for nobody. */
    @Override
    public <T> Object handleError(NativeWebRequest request, Callable<T> task, Throwable t) {
      if (RUNNING.getCount() == 0) {
        TOLD.countDown();
        await(DISPATCHED);
      }
      return RESULT_NONE;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @RestController
  static class Payments {

    @PostMapping({"/denied", "/denied/page"})
    Callable<String> denied() {
      return () -> {
        CALLS.incrementAndGet();
        throw new AccessDeniedException("not you");
      };
    }

    @PostMapping("/etag/later")
    DeferredResult<String> later() {
      int call = CALLS.incrementAndGet();
      DeferredResult<String> result = new DeferredResult<>();
      CompletableFuture.runAsync(() -> result.setResult("call " + call));
      return result;
    }

    @PatchMapping("/form")
    String form(@RequestParam String amount) {
      return "amount " + amount + " call " + CALLS.incrementAndGet();
    }

    @PutMapping("/raw")
    String raw(HttpServletRequest request) throws IOException {
      byte[] body = request.getInputStream().readAllBytes();
      return "length %d, body '%s', a %s"
          .formatted(
              request.getContentLength(),
              new String(body, StandardCharsets.US_ASCII),
              request.getParameter("a"));
    }

    @PostMapping("/whole")
    String whole(HttpServletRequest request, HttpServletResponse response) throws IOException {
      String charged = "charged " + CALLS.incrementAndGet();
      try {
        request.getRequestDispatcher("/part").include(request, response);
      } catch (ServletException | RuntimeException e) {
        return charged + " without its part";
      }
      return charged;
    }

    @PostMapping("/part")
    String part(@RequestParam String fails) {
      if (fails.equals("unknown")) {
        throw new AssertionError("part");
      }
      throw new NotRunException("no part today");
    }

    @GetMapping("/hello")
    String hello() {
      return "hello";
    }

    @PostMapping("/large")
    void large(HttpServletResponse response) throws IOException {
      CALLS.incrementAndGet();
      OutputStream out = response.getOutputStream();
      for (int i = 0; i < PIECES; i++) {
        out.write(PIECE.getBytes(StandardCharsets.US_ASCII));
      }
    }

    @PostMapping("/left")
    Callable<String> left() {
      return () -> {
        Leaving.RUNNING.countDown();
        await(Leaving.TOLD);
        throw new AsyncRequestNotUsableException("as a write would, from now on");
      };
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  /** Two requests with one key, of which the second one is a replay. */
  private static Reply assertReplayed(String path, int status) {
    int calls = CALLS.get();
    String key = newKey();
    Reply first = client.post(path, key, "{}");
    assertThat(first.status()).as(first.body()).isEqualTo(status);
    assertThat(first.isReplay()).isFalse();
    Reply second = client.post(path, key, "{}");
    assertThat(second.status()).as(second.body()).isEqualTo(status);
    assertThat(second.isReplay()).isTrue();
    assertThat(CALLS).hasValue(calls + 1);
    return first;
  }

  @Test
  void a_callable_that_security_denies_is_answered_and_recorded_with_its_status() {
    assertThat(assertReplayed("/denied", 403).body()).isEqualTo("not you");
  }

  @Test
  void a_callable_that_security_sends_to_the_error_page_is_recorded_as_that() {
    assertThat(assertReplayed("/denied/page", 403).body()).contains("timestamp");
  }

  @Test
  void a_filter_outside_finds_its_wrapper_when_a_result_comes_later() {
    assertThat(assertReplayed("/etag/later", 200).body()).startsWith("call ");
  }

  @Test
  void a_form_with_a_hidden_method_is_known_by_its_parameters() {
    String key = newKey();
    Reply first = form(key, "_method=patch&amount=7");
    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(first.body()).startsWith("amount 7 ");
    assertThat(form(key, "_method=patch&amount=7").body()).isEqualTo(first.body());
    assertThat(form(key, "_method=patch&amount=8").status()).isEqualTo(422);
  }

  private static Reply form(String key, String body) {
    return client.send(
        "POST",
        "/form",
        body,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Idempotency-Key",
        key);
  }

  /** Spring has made parameters of it, as without this library. */
  @Test
  void a_form_without_a_key_is_as_without_the_filter() {
    Reply plain =
        client.send("PUT", "/raw?q=1", "a=1", "Content-Type", "application/x-www-form-urlencoded");
    assertThat(plain.body()).isEqualTo("length 3, body '', a 1");
  }

  @Test
  void an_included_part_that_did_not_run_does_not_free_the_key_of_a_handler_that_did() {
    assertThat(assertReplayed("/whole?fails=notrun", 200).body()).endsWith(" without its part");
  }

  @Test
  void an_included_part_that_nobody_knows_of_leaves_the_handlers_answer_known() {
    assertThat(assertReplayed("/whole?fails=unknown", 200).body()).endsWith(" without its part");
  }

  // HTTP/2.

  private static HttpRequest.Builder request(String path) {
    String port = context.getEnvironment().getRequiredProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
  }

  /** Its connection speaks HTTP/2 already. */
  private static HttpClient http2() throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    HttpResponse<String> hello = http.send(request("/hello").build(), BodyHandlers.ofString());
    assertThat(hello.version()).isEqualTo(HttpClient.Version.HTTP_2);
    return http;
  }

  private static HttpRequest keyed(String path, String key) {
    return request(path)
        .header("Idempotency-Key", key)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{}"))
        .build();
  }

  @Test
  void a_large_answer_in_pieces_comes_whole_over_http2_and_its_retry_is_a_replay()
      throws Exception {
    HttpClient http = http2();
    int calls = CALLS.get();
    String key = newKey();
    HttpResponse<String> first = http.send(keyed("/large", key), BodyHandlers.ofString());
    assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo(PIECE.repeat(PIECES));
    HttpResponse<String> retry = http.send(keyed("/large", key), BodyHandlers.ofString());
    assertThat(retry.statusCode()).as(retry.body()).isEqualTo(200);
    assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(CALLS).hasValue(calls + 1);
  }

  /** Spring answers a client that has left with nothing at all, which is no answer. */
  @Test
  void a_callable_that_breaks_off_because_its_client_has_left_is_no_empty_success()
      throws Exception {
    HttpClient http = http2();
    String key = newKey();
    ENDS.clear();
    CompletableFuture<HttpResponse<String>> leaving =
        http.sendAsync(keyed("/left", key), BodyHandlers.ofString());
    await(Leaving.RUNNING);
    leaving.cancel(true);
    await(Leaving.DISPATCHED);
    assertThat(ENDS.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo("abandoned");
    HttpResponse<String> retry = http.send(keyed("/left", key), BodyHandlers.ofString());
    assertThat(retry.statusCode()).as(retry.body()).isEqualTo(409);
  }
}
