package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class UpstreamFailureTest extends GatewayFixture {

  /** The ways in which a service does not answer to the end. */
  @SuppressWarnings("ImmutableEnumChecker") // they have no state
  enum Failure {
    CLOSES_BEFORE_ANSWERING(
        call -> {
          call.body();
          call.close();
        }),
    RESETS_BEFORE_ANSWERING(
        call -> {
          call.body();
          call.reset();
        }),
    IS_CUT_IN_ITS_HEAD(
        call -> {
          call.body();
          call.send("HTTP/1.1 200 OK\r\nContent-Le");
          call.close();
        }),
    IS_CUT_IN_ITS_BODY(
        call -> {
          call.body();
          call.head(200, "Content-Length: 100");
          call.send("half");
          call.close();
        }),
    IS_CUT_IN_ITS_CHUNKS(
        call -> {
          call.body();
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("half");
          call.close();
        }),
    RESETS_IN_ITS_BODY(
        call -> {
          call.body();
          call.head(200, "Content-Length: 100");
          call.send("half");
          call.reset();
        }),
    SPEAKS_NO_HTTP(
        call -> {
          call.body();
          call.send("what do you want?\r\n\r\n");
          call.close();
        }),
    SENDS_A_BAD_CHUNK(
        call -> {
          call.body();
          call.head(200, "Transfer-Encoding: chunked");
          call.send("zz\r\nhalf\r\n");
        }),
    SENDS_A_HEADER_THAT_IS_NONE(
        call -> {
          call.body();
          call.answer(200, "x", "no-colon");
        }),
    SENDS_TOO_LARGE_A_HEAD(
        call -> {
          call.body();
          call.answer(200, "x", "X-Large: " + "x".repeat(200_000));
        });

    final Service.Behaviour behaviour;

    Failure(Service.Behaviour behaviour) {
      this.behaviour = behaviour;
    }
  }

  /** The ways in which a service is silent. */
  @SuppressWarnings("ImmutableEnumChecker") // they have no state
  enum Silence {
    BEFORE_ANSWERING(call -> call.body()),
    IN_ITS_HEAD(call -> call.send("HTTP/1.1 200 OK\r\n")),
    IN_ITS_BODY(
        call -> {
          call.head(200, "Content-Length: 100");
          call.send("half");
        }),
    IN_ITS_CHUNKS(
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("half");
        });

    final Service.Behaviour behaviour;

    Silence(Service.Behaviour behaviour) {
      this.behaviour = behaviour;
    }
  }

  @Test
  void a_refused_connection_is_a_502_and_the_key_is_free() throws Exception {
    int port = service.port();
    start();
    service.close();
    HttpResponse<String> response = pay("/payments", "k-1");
    assertProblem(response, 502, "upstream-unreachable");
    assertThat(response.body()).contains("Nothing was done");
    Service again = closing(new Service(port));
    assertFirst(pay("/payments", "k-1"), 201);
    assertThat(again.only("/payments").field("Idempotency-Attempt")).isEqualTo("1");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void a_refused_connection_is_a_502_also_for_what_is_passed_through(Protocol protocol) {
    start();
    service.close();
    assertThat(protocol.send(gateway.port(), "GET", "/x", null).status()).isEqualTo(502);
    assertThat(protocol.send(gateway.port(), "PUT", "/x", "body").status()).isEqualTo(502);
    assertThat(protocol.send(gateway.port(), "PUT", "/x", "body".repeat(10_000)).status())
        .isEqualTo(502);
    assertThat(protocol.pay(gateway.port(), "/x", "k-1").status()).isEqualTo(502);
  }

  @ParameterizedTest
  @EnumSource
  void a_service_that_does_not_answer_to_the_end_is_a_502_and_the_outcome_is_unknown(
      Failure failure) throws Exception {
    service.on("/p", failure.behaviour);
    start(setup -> setup.policy("lease", "150ms"));
    HttpResponse<String> response = pay("/p", "k-1");
    assertProblem(response, 502, "upstream-failed");
    assertThat(response.body()).doesNotContain("half");
    assertProblem(retryWhileBusy(payment("/p", "k-1")), 409, "outcome-unknown");
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void until_the_lease_ends_an_operation_of_unknown_outcome_counts_as_running() throws Exception {
    service.on("/p", Failure.IS_CUT_IN_ITS_BODY.behaviour);
    start();
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
    assertProblem(pay("/p", "k-1"), 409, "still-running");
    assertThat(service.calls("/p")).hasSize(1);
  }

  @Test
  void after_a_crash_it_runs_again_where_the_policy_says_so_with_a_higher_fence() throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          if (call.number() == 1) {
            call.close();
          } else {
            call.answer(200, "second time");
          }
        });
    start(setup -> setup.policy("lease", "150ms").policy("on-crash", "run-again"));
    assertProblem(pay("/p", "k-1"), 502, "upstream-failed");
    HttpResponse<String> second = retryWhileBusy(payment("/p", "k-1"));
    assertFirst(second, 200);
    assertThat(second.body()).isEqualTo("second time");
    assertReplayed(pay("/p", "k-1"), 200);
    Service.Call one = service.calls("/p").get(0);
    Service.Call two = service.calls("/p").get(1);
    assertThat(one.field("Idempotency-Attempt")).isEqualTo("1");
    assertThat(two.field("Idempotency-Attempt")).isEqualTo("2");
    assertThat(Long.parseLong(two.field("Idempotency-Fence")))
        .isGreaterThan(Long.parseLong(one.field("Idempotency-Fence")));
  }

  @Test
  void an_answer_to_an_owner_that_lost_its_lease_is_not_given() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/p",
        call -> {
          call.body();
          if (call.number() == 1) {
            gate.pass();
          }
          call.answer(200, "run " + call.number());
        });
    start(
        setup ->
            setup
                .policy("lease", "100ms")
                .policy("longest-run", "50ms")
                .policy("on-crash", "run-again"));
    var first = sendAsync(payment("/p", "k-1"));
    gate.awaitReached();
    HttpResponse<String> second = retryWhileBusy(payment("/p", "k-1"));
    assertThat(second.body()).isEqualTo("run 2");
    gate.open();
    HttpResponse<String> late = first.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    assertProblem(late, 409, "taken-over");
    assertThat(pay("/p", "k-1").body()).isEqualTo("run 2");
  }

  @ParameterizedTest
  @EnumSource
  void a_service_that_is_silent_for_too_long_is_a_504_and_the_outcome_is_unknown(Silence silence)
      throws Exception {
    Gate never = new Gate();
    service.on(
        "/p",
        call -> {
          call.body();
          silence.behaviour.answer(call);
          never.pass();
        });
    start(
        setup -> {
          setup.policy("lease", "150ms");
          setup.responseTimeout = Duration.ofMillis(500);
        });
    assertProblem(pay("/p", "k-1"), 504, "upstream-timeout");
    assertProblem(retryWhileBusy(payment("/p", "k-1")), 409, "outcome-unknown");
    assertThat(service.calls("/p")).hasSize(1);
    never.open();
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_ANSWERING", "IN_ITS_HEAD", "IN_ITS_BODY"})
  void a_service_that_is_silent_for_too_long_is_a_504_also_when_passed_through(Silence silence)
      throws Exception {
    Gate never = new Gate();
    service.on(
        "/p",
        call -> {
          silence.behaviour.answer(call);
          never.pass();
        });
    start(setup -> setup.responseTimeout = Duration.ofMillis(500));
    assertThat(send(get("/p")).statusCode()).isEqualTo(504);
    never.open();
  }

  @Test
  void a_service_that_is_slow_but_never_silent_for_too_long_is_waited_for() throws Exception {
    service.on(
        "/p",
        call -> {
          call.body();
          call.head(200, "Transfer-Encoding: chunked");
          for (int i = 0; i < 30; i++) {
            call.chunk("x");
            Thread.sleep(100); // longer than the limit, together
          }
          call.send("0\r\n\r\n");
        });
    start(setup -> setup.responseTimeout = Duration.ofSeconds(2));
    var passedThrough = sendAsync(get("/p"));
    assertThat(pay("/p", "k-1").body()).hasSize(30);
    assertThat(passedThrough.join().body()).hasSize(30);
  }

  @Test
  void an_upload_may_take_longer_than_the_service_may_be_silent() throws Exception {
    start(
        setup -> {
          setup.responseTimeout = Duration.ofSeconds(2);
          setup.bodyTimeout = Duration.ofSeconds(60);
        });
    RawClient client = raw();
    client.send("PUT /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 30; i++) {
      client.send("1\r\nx\r\n");
      Thread.sleep(100); // longer than the limit, together
    }
    client.send("0\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /p " + "x".repeat(30));
  }

  @Test
  void a_service_that_answers_without_reading_the_body_is_believed() throws Exception {
    service.on("/early", call -> call.answer(403, "no", "X-Early: 1"));
    start();
    HttpResponse<String> first = send(post("/early", "k-1", "x".repeat(500_000)));
    assertFirst(first, 403);
    assertReplayed(send(post("/early", "k-1", "x".repeat(500_000))), 403);
  }

  @Test
  void a_connection_that_the_service_closed_meanwhile_is_not_used() throws Exception {
    service.on(
        "/closes-after",
        call -> {
          call.body();
          call.answer(200, "ok");
          call.close();
        });
    start();
    for (int i = 0; i < 10; i++) {
      assertFirst(pay("/closes-after", "k-" + i), 200);
      eventually(() -> service.connections() == 0);
    }
  }

  @Test
  void a_connection_that_the_service_says_it_closes_is_not_used_again() throws Exception {
    service.on(
        "/last",
        call -> {
          call.body();
          call.answer(200, "ok", "Connection: close");
        });
    start();
    for (int i = 0; i < 5; i++) {
      assertFirst(pay("/last", "k-" + i), 200);
    }
  }

  @Test
  void a_full_pool_is_a_502_and_the_key_is_free() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/holds",
        call -> {
          call.body();
          gate.pass();
          call.answer(200, "held");
        });
    start(
        setup -> {
          setup.connections = 1;
          setup.connectTimeout = Duration.ofSeconds(1);
        });
    int loops = Math.max(1, Runtime.getRuntime().availableProcessors());
    java.util.List<java.util.concurrent.CompletableFuture<HttpResponse<String>>> all =
        new java.util.ArrayList<>();
    for (int i = 0; i <= loops * 2; i++) {
      all.add(sendAsync(payment("/holds", "k-" + i)));
    }
    eventually(() -> all.stream().anyMatch(java.util.concurrent.CompletableFuture::isDone));
    gate.open();
    for (var one : all) {
      HttpResponse<String> response = one.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
      if (response.statusCode() != 200) {
        assertProblem(response, 502, "upstream-unreachable");
      }
    }
    for (int i = 0; i <= loops * 2; i++) {
      assertThat(pay("/holds", "k-" + i).statusCode()).isEqualTo(200);
    }
    assertThat(service.calls("/holds")).hasSize(loops * 2 + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 100", "Transfer-Encoding: chunked"})
  void an_answer_passed_through_that_is_cut_is_cut_for_the_client_too(String framing)
      throws Exception {
    service.on(
        "/cut",
        call -> {
          call.head(200, framing, "X-Padding: " + "x".repeat(20));
          call.send(framing.startsWith("T") ? "4\r\nhalf\r\n" : "half");
          call.close();
        });
    start();
    RawClient client = raw();
    client.send("GET /cut HTTP/1.1\r\nHost: h\r\n\r\n");
    if (framing.startsWith("T")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(client::read)
          .isInstanceOf(java.io.IOException.class);
    } else {
      assertThat(client.read().status()).isEqualTo(502);
    }
  }

  /** More than sockets hold: the rest is in the gateway, and would be sent before it closes. */
  @Test
  void a_gateway_stops_though_a_service_takes_nothing_of_what_is_sent_to_it() throws Exception {
    Gate gate = new Gate();
    service.on("/hang", call -> gate.pass());
    start(setup -> setup.responseTimeout = Duration.ofSeconds(2));
    RawClient client = raw();
    byte[] much = new byte[32 * 1024 * 1024];
    client.send("POST /hang HTTP/1.1\r\nHost: h\r\nContent-Length: " + much.length + "\r\n\r\n");
    CompletableFuture<Void> sending =
        CompletableFuture.runAsync(
            () -> {
              try {
                client.send(much);
              } catch (IOException e) {
                // It was told to stop.
              }
            });
    assertThat(client.readHead().status()).isEqualTo(504);
    // The service itself waits for twice as long.
    CompletableFuture.runAsync(gateway::close).get(Gate.TIMEOUT_SECONDS / 2, TimeUnit.SECONDS);
    sending.get(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    gate.open();
  }
}
