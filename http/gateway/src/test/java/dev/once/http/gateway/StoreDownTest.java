package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The store does not answer: its file is locked by somebody else. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StoreDownTest extends GatewayFixture {

  private void startOnFile(String onStoreDown) {
    startOnFile(onStoreDown, Duration.ofSeconds(1));
  }

  private void startOnFile(String onStoreDown, Duration storeTimeout) {
    start(
        setup -> {
          setup.policy("on-store-down", onStoreDown).policy("lease", "2s");
          setup.store = sqlite();
          setup.storeTimeout = storeTimeout;
        });
  }

  /** Locks the store until it is closed. */
  private Connection lock() throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("once.db"));
    try (Statement statement = connection.createStatement()) {
      statement.execute("pragma busy_timeout = 20000");
      statement.execute("begin exclusive");
    }
    return closing(connection);
  }

  private String metrics() throws Exception {
    return send(HttpRequest.newBuilder(admin("/metrics"))).body();
  }

  @Test
  void requests_are_refused_with_503_and_nothing_is_called() throws Exception {
    startOnFile("refuse");
    lock();
    HttpResponse<String> response = pay("/p", "k-1");
    assertProblem(response, 503, "store-down");
    assertThat(response.headers().firstValue("Retry-After")).isPresent();
    assertThat(service.calls()).isEmpty();
    assertThat(metrics()).contains("idempotency_errors_total 1.0");
  }

  @Test
  void when_it_answers_again_the_key_is_free() throws Exception {
    startOnFile("refuse");
    Connection lock = lock();
    assertProblem(pay("/p", "k-1"), 503, "store-down");
    lock.close();
    assertFirst(retryWhileBusy(payment("/p", "k-1")), 201);
  }

  @Test
  void requests_go_on_unprotected_where_the_policy_says_so_and_that_is_counted() throws Exception {
    startOnFile("go-on");
    lock();
    assertFirst(pay("/p", "k-1"), 201);
    assertFirst(pay("/p", "k-1"), 201);
    assertThat(service.calls("/p")).hasSize(2);
    assertThat(service.calls("/p").get(0).fields("Idempotency-Fence")).isEmpty();
    assertThat(metrics()).contains("idempotency_unprotected_total 2.0");
  }

  @Test
  void requests_without_a_key_pass() throws Exception {
    startOnFile("refuse");
    lock();
    assertThat(send(get("/p")).statusCode()).isEqualTo(201);
    assertThat(send(payment("/p", null)).statusCode()).isEqualTo(201);
  }

  @Test
  void an_answer_that_cannot_be_recorded_is_not_given() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/p",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "done");
        });
    startOnFile("refuse");
    var first = sendAsync(payment("/p", "k-1"));
    gate.awaitReached();
    Connection lock = lock();
    gate.open();
    HttpResponse<String> response = first.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    assertProblem(response, 409, "outcome-unknown");
    lock.close();
    // The store may have recorded it after all; but it does not run again.
    assertThat(retryWhileBusy(payment("/p", "k-1")).body())
        .containsAnyOf("#outcome-unknown", "done");
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void an_answer_that_can_be_recorded_a_moment_later_is_given_then() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/p",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "done");
        });
    startOnFile("refuse", Duration.ofMinutes(1));
    var first = sendAsync(payment("/p", "k-1"));
    gate.awaitReached();
    Connection lock = lock();
    gate.open();
    Thread.sleep(100);
    lock.close();
    assertFirst(first.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS), 200);
    assertReplayed(pay("/p", "k-1"), 200);
  }
}
