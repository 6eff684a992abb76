package dev.once.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.spring.Client.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The portal's rules on an application that has the dependency and {@code once.profile=portal}, and
 * no other change: its four scenarios, and what a front end sees in each case of its matrix.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PortalTest {

  private static final String KEY = "X-Idempotency-Key";
  private static final String REPLAY = "X-Idempotency-Replay";
  private static final String INVOICE = "{\"customer\":123,\"total\":10.5}";

  private static ConfigurableApplicationContext context;
  private static Client client;

  @BeforeAll
  static void start() {
    context = Application.of(Invoices.class).with("once.profile", "portal").start();
    client = new Client(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @RestController
  static class Invoices {
    final List<String> made = new ArrayList<>();
    final AtomicInteger calls = new AtomicInteger();
    final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
    final Map<String, CountDownLatch> entered = new ConcurrentHashMap<>();

    @PostMapping("/api/invoices")
    synchronized Map<String, Object> make(@RequestBody Map<String, Object> invoice) {
      String id = "invoice-" + (made.size() + 1);
      made.add(id);
      return Map.of("id", id, "customer", invoice.get("customer"));
    }

    @PostMapping("/api/slow")
    Map<String, Object> slow(@RequestParam String gate) throws InterruptedException {
      entered.get(gate).countDown();
      assertThat(gates.get(gate).await(300, TimeUnit.SECONDS)).isTrue();
      return Map.of("run", calls.incrementAndGet());
    }

    @PutMapping("/api/refused")
    ResponseEntity<String> refuse() {
      return ResponseEntity.status(422).body("no such customer, call " + calls.incrementAndGet());
    }

    @PostMapping("/api/broken")
    String fail() {
      throw new IllegalStateException("call " + calls.incrementAndGet());
    }

    @ExceptionHandler(IllegalStateException.class)
    ResponseEntity<String> broken(IllegalStateException e) {
      return ResponseEntity.internalServerError().body(e.getMessage());
    }
  }

  private static Reply send(String method, String path, String key, String json) {
    return client.send(method, path, json, KEY, key);
  }

  private static Invoices invoices() {
    return context.getBean(Invoices.class);
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  @Test
  void the_same_request_again_gets_the_same_answer_and_makes_nothing_more() {
    String key = newKey();
    Reply first = send("POST", "/api/invoices", key, INVOICE);
    int made = invoices().made.size();
    Reply second = send("POST", "/api/invoices", key, "{ \"total\": 10.50, \"customer\": 123 }");

    assertThat(first.status()).isEqualTo(200);
    assertThat(first.header(REPLAY)).isEmpty();
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.header(REPLAY)).contains("true");
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.header("Content-Type")).isEqualTo(first.header("Content-Type"));
    assertThat(invoices().made).hasSize(made);
  }

  @Test
  void of_requests_at_the_same_time_one_runs_and_the_others_are_told_to_come_back()
      throws InterruptedException {
    String key = newKey();
    Invoices invoices = invoices();
    invoices.gates.put(key, new CountDownLatch(1));
    invoices.entered.put(key, new CountDownLatch(1));
    String path = "/api/slow?gate=" + key;
    CompletableFuture<Reply> first = client.sendLater("POST", path, "{}", KEY, key);
    assertThat(invoices.entered.get(key).await(300, TimeUnit.SECONDS)).isTrue();

    for (int i = 0; i < 3; i++) {
      Reply meanwhile = send("POST", path, key, "{}");
      assertThat(meanwhile.status()).isEqualTo(409);
      assertThat(meanwhile.header("Retry-After")).isPresent();
      assertThat(meanwhile.header("Content-Type")).contains("application/problem+json");
      assertThat(meanwhile.body()).contains("still-running");
    }
    int calls = invoices.calls.get();
    invoices.gates.get(key).countDown();
    Reply done = first.join();
    Reply retried = send("POST", path, key, "{}");

    assertThat(done.status()).isEqualTo(200);
    assertThat(retried.status()).isEqualTo(200);
    assertThat(retried.body()).isEqualTo(done.body());
    assertThat(retried.header(REPLAY)).contains("true");
    assertThat(invoices.calls.get()).isEqualTo(calls + 1);
  }

  @Test
  void a_client_that_lost_the_connection_retries_and_the_request_ran_once()
      throws InterruptedException {
    String key = newKey();
    Invoices invoices = invoices();
    invoices.gates.put(key, new CountDownLatch(1));
    invoices.entered.put(key, new CountDownLatch(1));
    String path = "/api/slow?gate=" + key;
    int calls = invoices.calls.get();
    client.sendAndLeave(path, "{}", KEY, key);
    assertThat(invoices.entered.get(key).await(300, TimeUnit.SECONDS)).isTrue();
    invoices.gates.get(key).countDown();

    Reply retried = send("POST", path, key, "{}");
    while (retried.status() == 409) {
      retried = send("POST", path, key, "{}");
    }
    assertThat(retried.status()).isEqualTo(200);
    assertThat(retried.header(REPLAY)).contains("true");
    assertThat(invoices.calls.get()).isEqualTo(calls + 1);
  }

  @Test
  void two_keys_are_two_operations() {
    int made = invoices().made.size();
    Reply first = send("POST", "/api/invoices", newKey(), INVOICE);
    Reply second = send("POST", "/api/invoices", newKey(), INVOICE);

    assertThat(first.body()).isNotEqualTo(second.body());
    assertThat(second.header(REPLAY)).isEmpty();
    assertThat(invoices().made).hasSize(made + 2);
  }

  @Test
  void without_a_key_every_request_runs() {
    int made = invoices().made.size();
    assertThat(client.send("POST", "/api/invoices", INVOICE).status()).isEqualTo(200);
    assertThat(client.send("POST", "/api/invoices", INVOICE).status()).isEqualTo(200);
    assertThat(invoices().made).hasSize(made + 2);
  }

  @Test
  void a_rejection_is_given_again_and_says_so() {
    String key = newKey();
    Reply first = send("PUT", "/api/refused", key, "{}");
    Reply second = send("PUT", "/api/refused", key, "{}");

    assertThat(first.status()).isEqualTo(422);
    assertThat(first.header(REPLAY)).isEmpty();
    assertThat(second.status()).isEqualTo(422);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.header(REPLAY)).contains("true");
  }

  @Test
  void a_failure_that_an_exception_handler_answered_is_given_again_and_says_so() {
    String key = newKey();
    Reply first = send("POST", "/api/broken", key, "{}");
    Reply second = send("POST", "/api/broken", key, "{}");

    assertThat(first.status()).isEqualTo(500);
    assertThat(first.header(REPLAY)).isEmpty();
    assertThat(second.status()).isEqualTo(500);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.header(REPLAY)).contains("true");
  }

  @Test
  void the_key_of_another_request_is_refused() {
    String key = newKey();
    send("POST", "/api/invoices", key, INVOICE);
    Reply other = send("POST", "/api/invoices", key, "{\"customer\":124,\"total\":10.5}");

    assertThat(other.status()).isEqualTo(422);
    assertThat(other.body()).contains("key-reused");
    assertThat(other.header(REPLAY)).isEmpty();
  }

  @Test
  void a_key_of_129_characters_is_refused() {
    Reply reply = send("POST", "/api/invoices", "k".repeat(129), INVOICE);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("key-malformed").doesNotContain("kkkk");
    assertThat(reply.header("Content-Type")).isEqualTo(Optional.of("application/problem+json"));
  }
}
