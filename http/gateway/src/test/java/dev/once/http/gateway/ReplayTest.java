package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.once.core.Answer;
import dev.once.core.Header;
import dev.once.core.store.spi.AnswerCodec;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReplayTest extends GatewayFixture {

  private void startFor(Protocol protocol) {
    start(
        setup -> {
          try {
            setup.tls = protocol.tls ? Certificates.of("one").writeTo(folder) : null;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void a_retry_gets_the_recorded_answer_with_the_marker_and_the_service_is_called_once(
      Protocol protocol) {
    startFor(protocol);
    Protocol.Answer first = protocol.pay(gateway.port(), "/payments", "k-1");
    Protocol.Answer retry = protocol.pay(gateway.port(), "/payments", "k-1");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.body()).isEqualTo("1 /payments {\"amount\":1}");
    assertThat(first.fields("Idempotent-Replayed")).isEmpty();
    assertThat(retry.status()).isEqualTo(201);
    assertThat(retry.body()).isEqualTo(first.body());
    assertThat(retry.fields("X-Count")).containsExactly("1");
    assertThat(retry.fields("Idempotent-Replayed")).containsExactly("true");
    assertThat(service.calls("/payments")).hasSize(1);
  }

  @Test
  void a_client_that_switches_from_http_1_to_http_2_gets_the_same_replay() {
    start();
    Protocol.Answer first = Protocol.HTTP_1_1.pay(gateway.port(), "/payments", "k-1");
    Protocol.Answer retry = Protocol.H2C.pay(gateway.port(), "/payments", "k-1");
    assertThat(retry.body()).isEqualTo(first.body());
    assertThat(retry.fields("Idempotent-Replayed")).containsExactly("true");
    assertThat(service.calls("/payments")).hasSize(1);
  }

  @Test
  void a_java_client_that_upgrades_to_http_2_gets_the_same_replay() throws Exception {
    start();
    var client = java.net.http.HttpClient.newHttpClient();
    HttpResponse<String> upgrade = client.send(get("/hello").build(), BodyHandlers.ofString());
    HttpResponse<String> first =
        client.send(payment("/payments", "k-1").build(), BodyHandlers.ofString());
    HttpResponse<String> retry =
        client.send(payment("/payments", "k-1").build(), BodyHandlers.ofString());
    assertThat(upgrade.version()).isEqualTo(java.net.http.HttpClient.Version.HTTP_2);
    assertThat(first.version()).isEqualTo(java.net.http.HttpClient.Version.HTTP_2);
    assertFirst(first, 201);
    assertReplayed(retry, 201);
    assertThat(service.only("/hello").fields("Transfer-Encoding")).isEmpty();
  }

  @Test
  void a_java_client_whose_first_request_has_a_body_is_served_without_the_upgrade()
      throws Exception {
    start();
    var client = java.net.http.HttpClient.newHttpClient();
    var streamed =
        post("/payments", "k-1", "")
            .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString("{}")));
    assertFirst(client.send(streamed.build(), BodyHandlers.ofString()), 201);
    assertThat(service.only("/payments").text()).isEqualTo("{}");
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void headers_with_several_lines_stay_separate_and_in_order(Protocol protocol) {
    service.on(
        "/links",
        call ->
            call.answer(
                200,
                "x",
                "Link: <a>; rel=next",
                "X-Other: 1",
                "Link: <b>; rel=prev",
                "Link: <a, b>"));
    startFor(protocol);
    List<String> links = List.of("<a>; rel=next", "<b>; rel=prev", "<a, b>");
    assertThat(protocol.pay(gateway.port(), "/links", "k-1").fields("Link"))
        .containsExactlyElementsOf(links);
    assertThat(protocol.pay(gateway.port(), "/links", "k-1").fields("Link"))
        .containsExactlyElementsOf(links);
  }

  @Test
  void the_order_of_all_headers_is_kept_in_the_first_answer_and_in_replays() throws Exception {
    service.on(
        "/ordered", call -> call.answer(200, "x", "Zeta: 1", "Alpha: 2", "Zeta: 3", "Mid: 4"));
    start();
    for (int i = 0; i < 2; i++) {
      List<Header> fields = Protocol.HTTP_1_1.pay(gateway.port(), "/ordered", "k-1").fields();
      assertThat(fields.stream().filter(f -> List.of("Zeta", "Alpha", "Mid").contains(f.name())))
          .containsExactly(
              new Header("Zeta", "1"),
              new Header("Alpha", "2"),
              new Header("Zeta", "3"),
              new Header("Mid", "4"));
    }
  }

  @Test
  void a_body_of_any_bytes_is_unchanged_both_ways_and_in_the_replay() throws Exception {
    byte[] bytes = new byte[100_000];
    new Random(1).nextBytes(bytes);
    service.on("/bytes", call -> call.answer(200, call.body()));
    start();
    for (int i = 0; i < 2; i++) {
      var request = post("/bytes", "k-1", "").POST(BodyPublishers.ofByteArray(bytes));
      assertThat(HTTP.send(request.build(), BodyHandlers.ofByteArray()).body()).isEqualTo(bytes);
    }
    assertThat(service.only("/bytes").body()).isEqualTo(bytes);
  }

  @Test
  void a_chunked_answer_is_replayed_whole() throws Exception {
    service.on(
        "/chunks",
        call -> {
          call.body();
          call.head(200, "Transfer-Encoding: chunked");
          call.chunk("one ");
          call.chunk("two");
          call.send("0\r\n\r\n");
        });
    start();
    assertThat(pay("/chunks", "k-1").body()).isEqualTo("one two");
    HttpResponse<String> retry = pay("/chunks", "k-1");
    assertReplayed(retry, 200);
    assertThat(retry.body()).isEqualTo("one two");
  }

  @Test
  void an_answer_that_ends_with_the_connection_is_replayed_whole() throws Exception {
    service.on(
        "/until-close",
        call -> {
          call.body();
          call.head(200, "Connection: close");
          call.send("to the end");
          call.close();
        });
    start();
    assertThat(pay("/until-close", "k-1").body()).isEqualTo("to the end");
    HttpResponse<String> retry = pay("/until-close", "k-1");
    assertReplayed(retry, 200);
    assertThat(retry.body()).isEqualTo("to the end");
  }

  /** Such as one of a servlet container that lets other characters through. */
  @Test
  void a_record_with_a_field_that_cannot_be_sent_is_a_problem_and_gives_its_room_back()
      throws Exception {
    service.on("/odd", call -> call.answer(200, "x".repeat(20_000)));
    start(setup -> setup.store = sqlite());
    assertFirst(pay("/odd", "k-1"), 200);
    gateway.close();
    addToRecord(new Header("X-Odd", "before\u000bafter"));
    start(setup -> setup.store = sqlite());
    LogLines log = LogLines.fromNowOn();
    HttpResponse<String> retry = pay("/odd", "k-1");
    assertThat(log.with("The record cannot be replayed")).hasSize(1);
    assertProblem(retry, 500, "outcome-unknown");
    assertThat(retry.headers().firstValue("X-Odd")).isEmpty();
    assertThat(send(HttpRequest.newBuilder(admin("/metrics"))).body())
        .containsPattern("(?m)^gateway_held_bytes 0\\.0$");
    assertThat(service.calls("/odd")).hasSize(1);
  }

  /** To the only answer in the file. */
  private void addToRecord(Header field) throws Exception {
    try (Connection file = DriverManager.getConnection("jdbc:" + sqlite());
        Statement all = file.createStatement();
        ResultSet row = all.executeQuery("SELECT response_body FROM idempotency_keys");
        PreparedStatement update =
            file.prepareStatement("UPDATE idempotency_keys SET response_body = ?")) {
      assertThat(row.next()).isTrue();
      Answer answer = AnswerCodec.decode(row.getBytes(1));
      row.close();
      List<Header> fields = new ArrayList<>(answer.headers());
      fields.add(field);
      update.setBytes(1, AnswerCodec.encode(answer.withHeaders(fields)));
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @Test
  void a_replay_has_no_cookies_no_date_and_nothing_of_the_connection() throws Exception {
    service.on(
        "/secrets",
        call ->
            call.answer(
                200,
                "x",
                "Set-Cookie: session=1",
                "Set-Cookie: other=2",
                "Date: Mon, 01 Jan 2024 00:00:00 GMT",
                "Connection: keep-alive, X-Hop",
                "X-Hop: 1",
                "Keep-Alive: timeout=5",
                "X-Kept: yes"));
    start();
    HttpResponse<String> first = pay("/secrets", "k-1");
    assertThat(first.headers().allValues("Set-Cookie")).containsExactly("session=1", "other=2");
    assertThat(first.headers().firstValue("Date")).isPresent();
    assertThat(first.headers().map()).doesNotContainKeys("X-Hop", "Keep-Alive", "x-hop");
    HttpResponse<String> retry = pay("/secrets", "k-1");
    assertThat(retry.headers().map().keySet())
        .doesNotContain("set-cookie", "date", "x-hop", "keep-alive", "connection");
    assertThat(retry.headers().firstValue("X-Kept")).contains("yes");
  }

  @Test
  void a_marker_that_the_service_sends_itself_is_not_recorded() throws Exception {
    service.on("/marked", call -> call.answer(200, "x", "Idempotent-Replayed: false"));
    start();
    pay("/marked", "k-1");
    assertThat(pay("/marked", "k-1").headers().allValues("Idempotent-Replayed"))
        .containsExactly("true");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {200, 201, 202, 204, 301, 303, 304, 400, 404, 409, 410, 422, 451, 500, 503, 599})
  void an_answer_of_any_status_is_replayed_with_it(int status) throws Exception {
    boolean bodiless = status == 204 || status == 304;
    service.on("/status", call -> call.answer(status, bodiless ? "" : "said", "Location: /x"));
    start();
    HttpResponse<String> first = pay("/status", "k-1");
    assertFirst(first, status);
    HttpResponse<String> retry = pay("/status", "k-1");
    assertReplayed(retry, status);
    assertThat(retry.body()).isEqualTo(first.body()).isEqualTo(bodiless ? "" : "said");
    assertThat(retry.headers().firstValue("Location")).contains("/x");
    assertThat(service.calls("/status")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void an_answer_that_has_no_body_has_no_length_either(int status) throws Exception {
    service.on("/none", call -> call.answer(status, ""));
    start();
    for (int i = 0; i < 2; i++) {
      RawClient.Answer answer =
          raw()
              .send(
                  "POST /none HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n")
              .read();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.fields("Content-Length")).isEmpty();
      assertThat(answer.fields("Transfer-Encoding")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {307, 308, 401, 407, 421, 425, 429})
  void an_answer_that_says_not_now_or_not_you_is_never_stored(int status) throws Exception {
    service.on("/never", call -> call.answer(status, call.number() + " tries", "Retry-After: 1"));
    start();
    HttpResponse<String> first = pay("/never", "k-1");
    assertFirst(first, status);
    assertThat(first.body()).isEqualTo("1 tries");
    assertThat(first.headers().firstValue("Retry-After")).contains("1");
    HttpResponse<String> second = pay("/never", "k-1");
    assertFirst(second, status);
    assertThat(second.body()).isEqualTo("2 tries");
  }

  @Test
  void an_empty_answer_is_replayed_empty() throws Exception {
    service.on("/empty", call -> call.answer(200, ""));
    start();
    assertThat(pay("/empty", "k-1").body()).isEmpty();
    HttpResponse<String> retry = pay("/empty", "k-1");
    assertReplayed(retry, 200);
    assertThat(retry.body()).isEmpty();
    assertThat(retry.headers().firstValue("Content-Length")).contains("0");
  }

  @Test
  void a_replay_survives_a_restart_on_a_durable_store() throws Exception {
    start(setup -> setup.store = sqlite());
    HttpResponse<String> first = pay("/payments", "k-1");
    gateway.close();
    start(setup -> setup.store = sqlite());
    HttpResponse<String> retry = pay("/payments", "k-1");
    assertReplayed(retry, 201);
    assertThat(retry.body()).isEqualTo(first.body());
  }

  @Test
  void a_key_is_new_again_after_the_retention_time() throws Exception {
    start(setup -> setup.policy("retention", "100ms"));
    assertFirst(pay("/payments", "k-1"), 201);
    eventually(
        () -> {
          try {
            return pay("/payments", "k-1").body().startsWith("2 ");
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void status_only_keeps_the_status_and_says_that_the_answer_is_not_there() throws Exception {
    start(setup -> setup.policy("keep", "status-only"));
    assertThat(pay("/payments", "k-1").body()).startsWith("1 ");
    HttpResponse<String> retry = pay("/payments", "k-1");
    assertReplayed(retry, 201);
    assertThat(retry.body()).contains("\"status\":201").contains("\"get\":\"/payments\"");
    assertThat(retry.headers().firstValue("X-Count")).isEmpty();
    assertThat(service.calls("/payments")).hasSize(1);
  }

  @Test
  void failures_are_released_where_the_policy_says_so() throws Exception {
    service.on(
        "/fails", call -> call.answer(call.number() == 1 ? 500 : 200, "try " + call.number()));
    start(setup -> setup.policy("on-failure", "release"));
    assertFirst(pay("/fails", "k-1"), 500);
    HttpResponse<String> second = pay("/fails", "k-1");
    assertFirst(second, 200);
    assertReplayed(pay("/fails", "k-1"), 200);
  }

  @Test
  void a_header_with_bytes_beyond_ascii_is_unchanged() throws Exception {
    service.on("/latin", call -> call.answer(200, "x", "X-Name: caf\u00c3\u00a9"));
    start();
    for (int i = 0; i < 2; i++) {
      RawClient.Answer answer =
          raw()
              .send(
                  "POST /latin HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k"
                      + "\r\nX-Name: caf\u00c3\u00a9\r\nContent-Length: 0\r\n\r\n")
              .read();
      assertThat(answer.field("X-Name")).isEqualTo("caf\u00c3\u00a9");
    }
    assertThat(service.only("/latin").field("X-Name")).isEqualTo("caf\u00c3\u00a9");
  }
}
