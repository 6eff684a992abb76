package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Execution;
import dev.once.spring.Client.Reply;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Handlers of Spring MVC behind the filter, over HTTP. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HandlerTest {

  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    context =
        Application.of(
                Plain.class,
                Annotated.class,
                Advice.class,
                Charges.class,
                Views.class,
                Nameless.class)
            .with("server.servlet.context-path", "/shop")
            .with("once.routes[0].match", "POST /plain/required")
            .with("once.routes[0].required", "true")
            .with("once.routes[1].match", "/plain/off")
            .with("once.routes[1].enabled", "false")
            .with("once.routes[2].match", "PUT /annotated/*")
            .with("once.routes[2].enabled", "false") // the annotation is stronger
            .with("once.docs-url", "https://example.com/idempotency")
            .with("once.max-stored-body", "1k")
            .start();
    client = new Client(context, "/shop");
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  static class TakenException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @RestControllerAdvice
  static class Advice {
    @ExceptionHandler(TakenException.class)
    @ResponseStatus(HttpStatus.CONFLICT)
    Map<String, Object> taken() {
      return Map.of("error", "taken", "call", CALLS.incrementAndGet());
    }
  }

  private static final AtomicInteger CALLS = new AtomicInteger();
  private static final CountDownLatch CHARGING = new CountDownLatch(1);
  private static final CompletableFuture<Void> CHARGED = new CompletableFuture<>();

  private static Map<String, Object> called() {
    return Map.of("call", CALLS.incrementAndGet());
  }

  @RestController
  @RequestMapping("/plain")
  static class Plain {
    private final Charges charges;

    Plain(Charges charges) {
      this.charges = charges;
    }

    @PostMapping({"", "/required", "/off"})
    Map<String, Object> post() {
      return called();
    }

    @PutMapping
    Map<String, Object> put() {
      return called();
    }

    @PostMapping("/deferred")
    DeferredResult<Map<String, Object>> deferred() {
      DeferredResult<Map<String, Object>> result = new DeferredResult<>();
      CompletableFuture.runAsync(() -> result.setResult(called()));
      return result;
    }

    @PostMapping("/future")
    CompletableFuture<Map<String, Object>> future() {
      return CompletableFuture.supplyAsync(HandlerTest::called);
    }

    @PostMapping("/callable")
    Callable<Map<String, Object>> callable() {
      return HandlerTest::called;
    }

    @PostMapping("/future-fails")
    CompletableFuture<Map<String, Object>> futureFails() {
      return CompletableFuture.failedFuture(new TakenException());
    }

    @PostMapping("/sse")
    SseEmitter sse() {
      SseEmitter emitter = new SseEmitter();
      CompletableFuture.runAsync(
          () -> {
            try {
              emitter.send("call " + CALLS.incrementAndGet());
              emitter.send("end");
              emitter.complete();
            } catch (IOException e) {
              emitter.completeWithError(e);
            }
          });
      return emitter;
    }

    @PostMapping("/stream")
    ResponseEntity<StreamingResponseBody> stream(@RequestParam int times) {
      StreamingResponseBody body =
          out -> {
            int call = CALLS.incrementAndGet();
            for (int i = 0; i < times; i++) {
              out.write("call %06d\n".formatted(call).getBytes(StandardCharsets.UTF_8));
              out.flush();
            }
          };
      return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(body);
    }

    @PostMapping("/advised")
    String advised() {
      throw new TakenException();
    }

    @PostMapping("/uncaught")
    String uncaught() {
      throw new IllegalStateException("secret " + CALLS.incrementAndGet());
    }

    @PostMapping("/upload")
    Map<String, Object> upload(@RequestParam MultipartFile file, @RequestParam String note)
        throws IOException {
      return Map.of("call", CALLS.incrementAndGet(), "note", note, "bytes", file.getBytes().length);
    }

    @PostMapping("/form")
    Map<String, Object> form(@RequestParam String name) {
      return Map.of("call", CALLS.incrementAndGet(), "name", name);
    }

    @PostMapping("/execution")
    Map<String, Object> execution(Execution execution, Optional<Execution> same) {
      assertThat(CurrentExecution.get()).isEqualTo(same);
      assertThat(same.orElseThrow().fence()).isEqualTo(execution.fence());
      return Map.of(
          "fence", execution.fence().orElseThrow().value(), "attempt", execution.attempt());
    }

    @PostMapping("/no-execution")
    Map<String, Object> noExecution(Optional<Execution> execution) {
      return Map.of("there", execution.isPresent());
    }

    @PostMapping("/charge")
    Map<String, Object> charge(@RequestBody Map<String, String> order) {
      return Map.of("charge", charges.charge(order.get("id"), order.get("amount")));
    }
  }

  @Service
  static class Charges {
    @Idempotent(key = "#id")
    public int charge(String id, String amount) {
      if (amount.equals("held")) {
        CHARGING.countDown();
        CHARGED.join();
      }
      return CALLS.incrementAndGet();
    }
  }

  @Controller
  static class Views {
    @PostMapping("/forwards")
    String forwards() {
      return "forward:/target";
    }

    @PostMapping("/target")
    @ResponseBody
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, Object> target() {
      return called();
    }
  }

  /** An authentication of the application's own, before the filter, whose principal has no name. */
  @Component
  @Order(-200)
  static class Nameless implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      HttpServletRequest http = (HttpServletRequest) request;
      boolean known = http.getHeader("X-Nameless") != null;
      chain.doFilter(
          !known
              ? request
              : new HttpServletRequestWrapper(http) {
                @Override
                public Principal getUserPrincipal() {
                  return () -> null;
                }
              },
          response);
    }
  }

  @RestController
  @RequestMapping("/annotated")
  @Idempotent(required = true)
  static class Annotated {
    @PostMapping
    Map<String, Object> post() {
      return called();
    }

    @GetMapping
    Map<String, Object> get() {
      return called();
    }

    @PutMapping("/{id}")
    Map<String, Object> put(@PathVariable String id) {
      return called();
    }

    @PutMapping("/form")
    Map<String, Object> form(@RequestParam String name) {
      return Map.of("call", CALLS.incrementAndGet(), "name", name);
    }

    @DeleteMapping("/{id}")
    @Idempotent(profile = "stripe", retention = "72h")
    Map<String, Object> delete(@PathVariable String id) {
      return called();
    }
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static void assertReplayed(Reply first, Reply second, int status) {
    assertThat(first.status()).as(first.body()).isEqualTo(status);
    assertThat(first.isReplay()).isFalse();
    assertThat(second.status()).as(second.body()).isEqualTo(status);
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.header("Content-Type")).isEqualTo(first.header("Content-Type"));
  }

  private static void assertReplayed(String path, int status) {
    String key = newKey();
    Reply first = client.post(path, key, "{}");
    assertReplayed(first, client.post(path, key, "{}"), status);
    assertThat(first.body()).isNotEmpty();
  }

  @Test
  void a_deferred_result_is_recorded_when_it_is_set() {
    assertReplayed("/plain/deferred", 200);
  }

  @Test
  void a_future_is_recorded_when_it_completes() {
    assertReplayed("/plain/future", 200);
  }

  @Test
  void a_callable_is_recorded_when_it_returns() {
    assertReplayed("/plain/callable", 200);
  }

  @Test
  void a_future_that_fails_is_recorded_as_the_exception_handler_answers_it() {
    assertReplayed("/plain/future-fails", 409);
  }

  @Test
  void events_are_recorded_to_their_end() {
    assertReplayed("/plain/sse", 200);
  }

  @Test
  void a_streamed_body_within_the_limit_is_recorded_whole() {
    assertReplayed("/plain/stream?times=10", 200);
  }

  @Test
  void a_streamed_body_past_the_limit_is_sent_whole_once_and_not_run_again() {
    String key = newKey();
    Reply first = client.post("/plain/stream?times=1000", key, "{}");
    int calls = CALLS.get();
    Reply second = client.post("/plain/stream?times=1000", key, "{}");
    assertThat(first.body()).hasSize(12_000);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.isReplay()).isTrue();
    assertThat(second.body()).contains("\"replayed\":true").contains("\"bytes\":12000");
    assertThat(CALLS).hasValue(calls);
  }

  @Test
  void what_an_exception_handler_answers_is_recorded() {
    assertReplayed("/plain/advised", 409);
  }

  @Test
  void an_exception_that_nobody_handles_is_recorded_as_the_error_page_shows_it() {
    String key = newKey();
    Reply first = client.post("/plain/uncaught", key, "{}");
    int calls = CALLS.get();
    Reply second = client.post("/plain/uncaught", key, "{}");
    assertReplayed(first, second, 500);
    assertThat(first.body()).contains("\"path\":\"/shop/plain/uncaught\"").doesNotContain("secret");
    assertThat(CALLS).hasValue(calls);
  }

  @Test
  void a_multipart_request_is_read_by_the_handler_and_told_from_another() {
    String key = newKey();
    Reply first = upload(key, "one", "x");
    assertReplayed(first, upload(key, "one", "y"), 200);
    assertThat(first.body()).contains("\"note\":\"one\"").contains("\"bytes\":5");
    assertThat(upload(key, "two", "x").status()).isEqualTo(422);
  }

  private static Reply upload(String key, String note, String boundary) {
    String body =
        """
        --%1$s\r
        Content-Disposition: form-data; name="note"\r
        \r
        %2$s\r
        --%1$s\r
        Content-Disposition: form-data; name="file"; filename="a.bin"\r
        Content-Type: application/octet-stream\r
        \r
        bytes\r
        --%1$s--\r
        """
            .formatted(boundary, note);
    return client.send(
        "POST",
        "/plain/upload",
        body,
        "Idempotency-Key",
        key,
        "Content-Type",
        "multipart/form-data; boundary=" + boundary);
  }

  @Test
  void a_form_is_read_by_the_handler_and_told_from_another() {
    for (String[] to : new String[][] {{"POST", "/plain/form"}, {"PUT", "/annotated/form"}}) {
      String key = newKey();
      Reply first = form(to, key, "name=ann");
      assertReplayed(first, form(to, key, "name=ann"), 200);
      assertThat(first.body()).contains("\"name\":\"ann\"");
      assertThat(form(to, key, "name=bob").status()).as(to[0]).isEqualTo(422);
    }
  }

  private static Reply form(String[] to, String key, String body) {
    return client.send(
        to[0],
        to[1],
        body,
        "Idempotency-Key",
        key,
        "Content-Type",
        "application/x-www-form-urlencoded");
  }

  @Test
  void a_handler_can_ask_for_its_fence_and_attempt() {
    Reply reply = client.post("/plain/execution", newKey(), "{}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    assertThat(reply.body()).contains("\"attempt\":1").contains("\"fence\":");
    assertThat(client.send("POST", "/plain/no-execution", "{}").body()).contains("false");
  }

  @Test
  void routes_of_the_properties_have_their_own_policy() {
    Reply missing = client.send("POST", "/plain/required", "{}");
    assertThat(missing.status()).isEqualTo(400);
    assertThat(missing.body()).contains("https://example.com/idempotency#key-missing");
    String key = newKey();
    assertThat(client.post("/plain/off", key, "{}").body())
        .isNotEqualTo(client.post("/plain/off", key, "{}").body());
  }

  @Test
  void an_annotation_requires_keys_where_the_properties_do_not() {
    assertThat(client.send("POST", "/plain", "{}").status()).isEqualTo(200);
    assertThat(client.send("POST", "/annotated", "{}").status()).isEqualTo(400);
    assertThat(client.send("GET", "/annotated", "").status()).isEqualTo(200);
  }

  @Test
  void an_annotation_brings_the_handlers_method_into_scope() {
    String key = newKey();
    assertThat(client.send("PUT", "/plain", "{}", "Idempotency-Key", key).body())
        .isNotEqualTo(client.send("PUT", "/plain", "{}", "Idempotency-Key", key).body());
    String other = newKey();
    assertReplayed(
        client.send("PUT", "/annotated/1", "{}", "Idempotency-Key", other),
        client.send("PUT", "/annotated/1", "{}", "Idempotency-Key", other),
        200);
  }

  @Test
  void the_annotation_of_a_handler_is_stronger_than_its_controllers() {
    assertThat(client.send("DELETE", "/annotated/1", "").status()).isEqualTo(200);
    String key = newKey();
    client.send("DELETE", "/annotated/1", "", "Idempotency-Key", key);
    Reply other = client.send("DELETE", "/annotated/2", "", "Idempotency-Key", key);
    assertThat(other.status()).as("the stripe profile's").isEqualTo(400);
    assertThat(other.body()).contains("PT72H");
  }

  @Test
  void a_bean_methods_refusal_is_answered_as_a_problem() {
    String order = "{\"id\":\"%s\",\"amount\":\"%s\"}";
    String id = newKey();
    Reply first = client.send("POST", "/plain/charge", order.formatted(id, "1"));
    Reply again = client.send("POST", "/plain/charge", order.formatted(id, "1"));
    Reply other = client.send("POST", "/plain/charge", order.formatted(id, "2"));
    assertThat(first.status()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.header("Content-Type")).contains("application/problem+json");
    assertThat(other.body()).contains("#key-reused").contains("\"status\":422");
  }

  @Test
  void a_bean_methods_not_now_is_not_the_requests_answer() throws Exception {
    String order = "{\"id\":\"%s\",\"amount\":\"held\"}".formatted(newKey());
    CompletableFuture<Reply> charging =
        CompletableFuture.supplyAsync(() -> client.send("POST", "/plain/charge", order));
    CHARGING.await();
    String key = newKey();
    Reply busy = client.post("/plain/charge", key, order);
    CHARGED.complete(null);
    Reply charged = charging.join();
    Reply later = client.post("/plain/charge", key, order);
    assertThat(busy.status()).isEqualTo(409);
    assertThat(busy.header("Retry-After")).contains("1");
    assertThat(later.status()).isEqualTo(200);
    assertThat(later.isReplay()).isFalse();
    assertThat(later.body()).isEqualTo(charged.body());
    assertReplayed(later, client.post("/plain/charge", key, order), 200);
  }

  @Test
  void a_handler_that_forwards_gives_its_client_and_retries_the_targets_answer() {
    String key = newKey();
    Reply first = client.post("/forwards", key, "{}");
    assertThat(first.status()).isEqualTo(202);
    assertThat(first.body()).contains("call");
    assertReplayed(first, client.post("/forwards", key, "{}"), 202);
  }

  @Test
  void a_principal_without_a_name_is_told_apart_as_nobody_is() {
    String key = newKey();
    String[] ann = {"Idempotency-Key", key, "X-Nameless", "1", "Authorization", "ann"};
    String[] bob = {"Idempotency-Key", key, "X-Nameless", "1", "Authorization", "bob"};
    Reply first = client.send("POST", "/plain", "{}", ann);
    assertThat(first.status()).isEqualTo(200);
    assertReplayed(first, client.send("POST", "/plain", "{}", ann), 200);
    assertThat(client.send("POST", "/plain", "{}", bob).isReplay()).isFalse();
  }

  @Test
  void a_body_over_the_limit_is_refused_and_nothing_runs() {
    int calls = CALLS.get();
    Reply reply = client.post("/plain", newKey(), "{\"a\":\"" + "x".repeat(1_100_000) + "\"}");
    assertThat(reply.status()).isEqualTo(413);
    assertThat(CALLS).hasValue(calls);
  }
}
