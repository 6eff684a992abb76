package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are not in scope. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PassThroughTest extends GatewayFixture {

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "DELETE", "OPTIONS", "PROPFIND"})
  void methods_out_of_scope_pass_each_time_with_and_without_a_key(String method) {
    start();
    for (int i = 1; i <= 2; i++) {
      Protocol.Answer answer =
          Protocol.HTTP_1_1.send(gateway.port(), method, "/x", null, "Idempotency-Key: k-1");
      assertThat(answer.body()).isEqualTo(i + " /x ");
      assertThat(answer.fields("Idempotent-Replayed")).isEmpty();
    }
    assertThat(service.calls("/x").get(0).method).isEqualTo(method);
  }

  @ParameterizedTest
  @EnumSource
  void a_request_without_a_body_reaches_the_service_without_one(Protocol protocol) {
    start(
        setup -> {
          try {
            setup.tls = protocol.tls ? Certificates.of("one").writeTo(folder) : null;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    protocol.send(gateway.port(), "GET", "/x", null);
    assertThat(service.only("/x").fields("Transfer-Encoding")).isEmpty();
    assertThat(service.only("/x").fields("Content-Length")).isEmpty();
  }

  @Test
  void the_answer_to_head_has_headers_and_no_body() throws Exception {
    service.on("/x", call -> call.head(200, "Content-Length: 1234", "X-A: 1"));
    start();
    RawClient client = raw();
    for (int i = 0; i < 2; i++) {
      client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
      RawClient.Answer answer = client.readHead();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Content-Length")).isEqualTo("1234");
      assertThat(answer.field("X-A")).isEqualTo("1");
    }
  }

  @Test
  void the_answer_to_head_may_be_without_a_length() throws Exception {
    service.on("/x", call -> call.head(200, "Transfer-Encoding: chunked"));
    start();
    RawClient client = raw();
    client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.readHead().status()).isEqualTo(200);
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /next ");
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void answers_without_a_body_pass(int status) throws Exception {
    service.on("/x", call -> call.answer(status, "", "ETag: \"1\""));
    start();
    RawClient client = raw();
    for (int i = 0; i < 2; i++) {
      client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
      RawClient.Answer answer = client.read();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.field("ETag")).isEqualTo("\"1\"");
      assertThat(answer.fields("Transfer-Encoding")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16_384, 16_385, 99_999, 100_000, 300_000})
  void bodies_of_any_size_pass_both_ways(int size) throws Exception {
    service.on("/echo", call -> call.answer(200, call.body()));
    start();
    String body = "x".repeat(size);
    var request = get("/echo").PUT(BodyPublishers.ofString(body));
    assertThat(send(request).body()).isEqualTo(body);
    assertThat(Protocol.H2C.send(gateway.port(), "PUT", "/echo", body).body()).isEqualTo(body);
  }

  @Test
  void twenty_megabytes_pass_both_ways() throws Exception {
    service.on(
        "/echo",
        call -> {
          int size = call.body().length;
          call.head(200, "Content-Length: " + size);
          byte[] piece = new byte[100_000];
          for (int i = 0; i < size / piece.length; i++) {
            call.send(piece);
          }
        });
    start();
    Path file = folder.resolve("large");
    java.nio.file.Files.write(file, new byte[20_000_000]);
    var request = get("/echo").PUT(BodyPublishers.ofFile(file));
    HttpResponse<byte[]> response = HTTP.send(request.build(), BodyHandlers.ofByteArray());
    assertThat(response.body()).hasSize(20_000_000);
  }

  @Test
  void a_client_that_reads_slowly_slows_the_service_down() throws Exception {
    AtomicLong sent = new AtomicLong();
    long size = 30_000_000;
    service.on(
        "/large",
        call -> {
          call.head(200, "Content-Length: " + size);
          byte[] piece = new byte[100_000];
          while (sent.get() < size) {
            call.send(piece);
            sent.addAndGet(piece.length);
          }
        });
    start();
    RawClient client = closing(RawClient.slow(gateway.port()));
    client.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
    long[] before = {-1};
    eventually(
        () -> {
          boolean stands = sent.get() == before[0] && sent.get() > 0;
          before[0] = sent.get();
          java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
          return stands;
        });
    assertThat(sent.get()).isLessThan(size * 3 / 4);
    client.exactly(100_000);
  }

  @Test
  void a_client_that_takes_nothing_is_given_up() throws Exception {
    Gate over = new Gate();
    service.on(
        "/large",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          try {
            while (true) {
              call.chunk("x".repeat(10_000));
            }
          } finally {
            over.pass();
          }
        });
    start(setup -> setup.responseTimeout = Duration.ofSeconds(1));
    RawClient client = closing(RawClient.slow(gateway.port()));
    client.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
    over.awaitReached();
    over.open();
    client.awaitClose();
  }

  @Test
  void chunks_pass_both_ways() throws Exception {
    service.on(
        "/chunks",
        call -> {
          assertThat(call.field("Transfer-Encoding")).isEqualTo("chunked");
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk(call.text());
          call.send("0\r\n\r\n");
        });
    start();
    RawClient client = raw();
    client.send(
        "PUT /chunks HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked"
            + "\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\nX-Trailer: 1\r\n\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.field("Transfer-Encoding")).isEqualTo("chunked");
    assertThat(answer.body()).isEqualTo("onetwo");
  }

  @Test
  void events_arrive_one_by_one_and_may_be_far_between() throws Exception {
    Gate[] gates = {new Gate(), new Gate(), new Gate()};
    service.on(
        "/events",
        call -> {
          call.head(
              200, "Content-Type: text/event-stream;charset=utf-8", "Transfer-Encoding: chunked");
          for (Gate gate : gates) {
            gate.pass();
            call.chunk("data: x\n\n");
          }
          call.send("0\r\n\r\n");
        });
    start(setup -> setup.responseTimeout = Duration.ofSeconds(1));
    RawClient client = raw();
    client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    while (!client.line().isEmpty()) {
      // The head, before any event.
    }
    Thread.sleep(1_500); // longer than a service may be silent
    for (Gate gate : gates) {
      gate.open();
      client.line();
      assertThat(client.line()).isEqualTo("data: x");
      client.line();
      client.line();
    }
    assertThat(client.line()).isEqualTo("0");
  }

  @Test
  void the_head_of_an_answer_arrives_before_its_body() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/late",
        call -> {
          call.head(200, "Content-Length: 200000");
          gate.pass();
          call.send("x".repeat(200_000));
        });
    start();
    var response = HTTP.sendAsync(get("/late").build(), BodyHandlers.ofInputStream());
    assertThat(
            response.get(Gate.TIMEOUT_SECONDS, java.util.concurrent.TimeUnit.SECONDS).statusCode())
        .isEqualTo(200);
    gate.open();
    assertThat(response.join().body().readAllBytes()).hasSize(200_000);
  }

  @Test
  void a_service_that_answers_before_it_has_the_body_is_heard_and_the_connection_goes_on()
      throws Exception {
    service.on(
        "/early",
        call -> {
          call.answer(413, "too much");
          call.awaitClose();
        });
    start();
    RawClient client = raw();
    client.send("PUT /early HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\nstart");
    assertThat(client.read().body()).isEqualTo("too much");
    client.send("x".repeat(299_995));
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /next ");
  }

  @Test
  void half_of_a_request_that_nobody_wanted_does_not_spoil_the_next_one() throws Exception {
    service.on("/early", call -> call.answer(413, "too much"));
    start(setup -> setup.connections = 1);
    for (int i = 0; i < 5; i++) {
      RawClient client = raw();
      client.send(
          "PUT /early HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\nGET /no HTTP/1.1");
      assertThat(client.read().body()).isEqualTo("too much");
      client.close();
      assertThat(send(get("/next")).body()).startsWith((i + 1) + " /next");
    }
  }

  @Test
  void a_client_that_asks_first_is_told_what_the_service_says() throws Exception {
    start();
    RawClient client = raw();
    client.send("PUT /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(100);
    client.send("hello");
    assertThat(client.read().body()).isEqualTo("1 /p hello");
    assertThat(service.only("/p").field("Expect")).isEqualTo("100-continue");
  }

  @Test
  void a_client_that_asks_first_and_is_refused_is_not_heard_any_more() throws Exception {
    service.on(
        "/p",
        call -> {
          call.answer(417, "no");
          call.awaitClose();
        });
    start();
    RawClient client = raw();
    client.send("PUT /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.status()).isEqualTo(417);
    assertThat(answer.field("Connection")).isEqualTo("close");
    client.awaitClose();
  }

  @Test
  void a_client_that_does_not_wait_for_the_100_is_served() throws Exception {
    start();
    RawClient client = raw();
    client.send(
        "PUT /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello");
    RawClient.Answer answer = client.read();
    if (answer.status() == 100) {
      answer = client.read();
    }
    assertThat(answer.body()).isEqualTo("1 /p hello");
  }

  @Test
  void http_1_0_without_keep_alive_gets_its_answer_and_the_end() throws Exception {
    start();
    RawClient client = raw();
    client.send("GET /old HTTP/1.0\r\n\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.body()).isEqualTo("1 /old ");
    client.awaitClose();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Connection: keep-alive\r\n"})
  void http_1_0_gets_no_chunks(String keepAlive) throws Exception {
    service.on(
        "/chunks",
        call -> {
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("one");
          call.chunk("two");
          call.send("0\r\n\r\n");
        });
    start();
    RawClient client = raw();
    client.send("GET /chunks HTTP/1.0\r\n" + keepAlive + "\r\n");
    RawClient.Answer answer = client.read();
    assertThat(answer.fields("Transfer-Encoding")).isEmpty();
    assertThat(answer.body()).isEqualTo("onetwo");
  }

  @Test
  void http_1_0_with_a_key_is_protected() throws Exception {
    start();
    for (int i = 0; i < 2; i++) {
      RawClient client = raw();
      client.send("POST /p HTTP/1.0\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}");
      assertThat(client.read().body()).isEqualTo("1 /p {}");
    }
  }

  @Test
  void requests_one_after_the_other_in_one_packet_are_answered_in_order() throws Exception {
    start();
    RawClient client = raw();
    String keyed =
        "POST /b HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}";
    client.send(
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
            + keyed
            + "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
            + keyed
            + "GET /d HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /a ");
    assertThat(client.read().body()).isEqualTo("1 /b {}");
    assertThat(client.read().body()).isEqualTo("1 /c x");
    RawClient.Answer replay = client.read();
    assertThat(replay.body()).isEqualTo("1 /b {}");
    assertThat(replay.field("Idempotent-Replayed")).isEqualTo("true");
    assertThat(client.read().body()).isEqualTo("1 /d ");
  }

  @Test
  void a_target_that_is_a_whole_url_is_sent_on_as_a_path() throws Exception {
    start();
    RawClient client = raw();
    client.send("GET http://h/a/b?c=d HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 /a/b?c=d ");
    client.send("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 / ");
    client.send("GET HTTP://H?q HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("2 /?q ");
  }

  @Test
  void a_key_is_the_same_whether_the_target_is_a_path_or_a_whole_url() throws Exception {
    start();
    String rest = " HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n";
    assertThat(raw().send("POST /p" + rest).read().status()).isEqualTo(201);
    assertThat(raw().send("POST http://h/p" + rest).read().field("Idempotent-Replayed"))
        .isEqualTo("true");
  }

  @Test
  void options_may_be_about_the_whole_server() throws Exception {
    start();
    RawClient client = raw();
    client.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().body()).isEqualTo("1 * ");
    client.send("GET * HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(client.read().status()).isEqualTo(400);
  }

  @Test
  void the_path_of_the_upstream_goes_before_every_path() throws Exception {
    start(
        setup ->
            setup.upstream = java.net.URI.create("http://localhost:" + service.port() + "/api/"));
    assertThat(send(get("/x?y=1")).body()).isEqualTo("1 /api/x?y=1 ");
    assertThat(pay("/x", "k-1").body()).startsWith("2 /api/x");
  }

  @Test
  void where_keys_are_off_everything_passes() throws Exception {
    start(setup -> setup.policy("enabled", "false"));
    assertThat(pay("/p", "k-1").body()).startsWith("1 ");
    assertThat(pay("/p", "k-1").body()).startsWith("2 ");
  }

  @Test
  void many_requests_at_once_all_get_their_own_answer() {
    start();
    java.util.List<java.util.concurrent.CompletableFuture<Void>> all = new java.util.ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String path = "/many/" + i;
      var request = i % 2 == 0 ? get(path) : payment(path, "k-" + i);
      all.add(
          sendAsync(request)
              .thenAccept(response -> assertThat(response.body()).startsWith("1 " + path)));
    }
    all.forEach(java.util.concurrent.CompletableFuture::join);
  }
}
