package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConflictTest extends GatewayFixture {

  private final Gate gate = new Gate();

  private CompletableFuture<HttpResponse<String>> running(String path, String key)
      throws InterruptedException {
    service.on(
        path,
        call -> {
          call.body();
          gate.pass();
          call.answer(201, "run " + call.number());
        });
    CompletableFuture<HttpResponse<String>> first = sendAsync(payment(path, key));
    gate.awaitReached();
    return first;
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void the_same_key_with_another_body_is_refused() throws Exception {
    start();
    pay("/payments", "k-1");
    HttpResponse<String> other = send(post("/payments", "k-1", "{\"amount\":2}"));
    assertProblem(other, 422, "key-reused");
    assertThat(service.calls("/payments")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/payments?x=1", "/payments/1"})
  void the_same_key_for_another_target_is_refused(String target) throws Exception {
    start();
    pay("/payments", "k-1");
    assertProblem(pay(target, "k-1"), 422, "key-reused");
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void the_same_key_with_another_method_is_refused() throws Exception {
    start();
    pay("/payments", "k-1");
    var patch =
        payment("/payments", "k-1")
            .method("PATCH", java.net.http.HttpRequest.BodyPublishers.ofString("{\"amount\":1}"));
    assertProblem(send(patch), 422, "key-reused");
  }

  @Test
  void a_critical_header_belongs_to_the_request() throws Exception {
    start(setup -> setup.policy("critical-headers", "X-Currency"));
    assertFirst(send(payment("/payments", "k-1").header("X-Currency", "EUR")), 201);
    assertReplayed(send(payment("/payments", "k-1").header("X-Currency", "EUR")), 201);
    assertProblem(send(payment("/payments", "k-1").header("X-Currency", "USD")), 422, "key-reused");
  }

  @Test
  void json_with_its_members_in_another_order_is_the_same_request() throws Exception {
    start();
    String one = "{\"a\":1,\"b\":[true,null]}";
    String two = " { \"b\" : [ true , null ] , \"a\" : 1.0 } ";
    assertFirst(send(post("/p", "k-1", one).header("Content-Type", "application/json")), 201);
    assertReplayed(send(post("/p", "k-1", two).header("Content-Type", "application/json")), 201);
    assertThat(service.only("/p").text()).isEqualTo(one);
  }

  @Test
  void invalid_json_is_passed_on_and_compared_byte_by_byte() throws Exception {
    start();
    String bad = "{\"a\":1,";
    assertFirst(send(post("/p", "k-1", bad).header("Content-Type", "application/json")), 201);
    assertReplayed(send(post("/p", "k-1", bad).header("Content-Type", "application/json")), 201);
    assertProblem(
        send(post("/p", "k-1", bad + " ").header("Content-Type", "application/json")),
        422,
        "key-reused");
    assertThat(service.only("/p").text()).isEqualTo(bad);
  }

  @Test
  void a_duplicate_of_a_running_request_is_told_to_come_back() throws Exception {
    start();
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    HttpResponse<String> duplicate = pay("/slow", "k-1");
    assertProblem(duplicate, 409, "still-running");
    assertThat(duplicate.headers().firstValue("Retry-After")).contains("1");
    gate.open();
    assertFirst(get(first), 201);
    assertReplayed(pay("/slow", "k-1"), 201);
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void another_request_with_the_key_of_a_running_one_is_a_mismatch_and_not_a_conflict()
      throws Exception {
    start();
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    assertProblem(send(post("/slow", "k-1", "other")), 422, "key-reused");
    gate.open();
    assertFirst(get(first), 201);
  }

  @Test
  void the_status_while_running_can_be_425() throws Exception {
    start(setup -> setup.policy("busy-status", "425"));
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    assertProblem(pay("/slow", "k-1"), 425, "still-running");
    gate.open();
    assertFirst(get(first), 201);
  }

  @Test
  void a_duplicate_that_waits_gets_the_first_ones_answer() throws Exception {
    start(setup -> setup.policy("on-busy", "wait"));
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    CompletableFuture<HttpResponse<String>> waiting = sendAsync(payment("/slow", "k-1"));
    gate.open();
    assertFirst(get(first), 201);
    HttpResponse<String> duplicate = get(waiting);
    assertReplayed(duplicate, 201);
    assertThat(duplicate.body()).isEqualTo("run 1");
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void a_duplicate_that_waited_too_long_is_told_to_come_back() throws Exception {
    start(setup -> setup.policy("on-busy", "wait").policy("longest-wait", "50ms"));
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    assertProblem(pay("/slow", "k-1"), 409, "still-running");
    gate.open();
    assertFirst(get(first), 201);
  }

  @Test
  void of_many_at_once_one_runs_and_all_who_wait_get_its_answer() throws Exception {
    start(setup -> setup.policy("on-busy", "wait").store = sqlite());
    CompletableFuture<HttpResponse<String>> first = running("/slow", "k-1");
    java.util.List<CompletableFuture<HttpResponse<String>>> others = new java.util.ArrayList<>();
    for (int i = 0; i < 20; i++) {
      others.add(sendAsync(payment("/slow", "k-1")));
    }
    gate.open();
    assertFirst(get(first), 201);
    for (CompletableFuture<HttpResponse<String>> other : others) {
      assertThat(get(other).body()).isEqualTo("run 1");
    }
    assertThat(service.calls("/slow")).hasSize(1);
  }

  @Test
  void the_same_key_with_another_request_is_another_operation_where_the_policy_says_so()
      throws Exception {
    start(setup -> setup.policy("identity", "key-and-request"));
    assertFirst(send(post("/p", "k-1", "one")), 201);
    assertFirst(send(post("/p", "k-1", "two")), 201);
    assertReplayed(send(post("/p", "k-1", "one")), 201);
  }
}
