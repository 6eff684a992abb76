package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which headers cross the gateway; the same for requests with a key and those passed through. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ForwardingTest extends GatewayFixture {

  private static final String KEYED = "POST /p HTTP/1.1\r\nHost: h\r\nIdempotency-Key: k\r\n";
  private static final String PLAIN = "PUT /p HTTP/1.1\r\nHost: h\r\n";

  private Service.Call sent(String head) throws Exception {
    start();
    RawClient.Answer answer = raw().send(head + "Content-Length: 2\r\n\r\n{}").read();
    assertThat(answer.status()).isEqualTo(201);
    return service.only("/p");
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void what_is_about_the_clients_connection_stays_here(String head) throws Exception {
    Service.Call call =
        sent(
            head
                + "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5"
                + "\r\nTE: trailers\r\nProxy-Authorization: secret\r\nProxy-Connection: keep-alive"
                + "\r\nUpgrade: foo\r\nX-Kept: yes\r\n");
    for (String name :
        new String[] {
          "X-Hop", "Keep-Alive", "TE", "Proxy-Authorization", "Proxy-Connection", "Upgrade"
        }) {
      assertThat(call.fields(name)).as(name).isEmpty();
    }
    assertThat(call.field("X-Kept")).isEqualTo("yes");
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void the_service_learns_who_asked_and_how(String head) throws Exception {
    Service.Call call = sent(head);
    assertThat(call.fields("X-Forwarded-For")).containsExactly("127.0.0.1");
    assertThat(call.fields("X-Forwarded-Proto")).containsExactly("http");
    assertThat(call.fields("X-Forwarded-Host")).containsExactly("h");
    assertThat(call.fields("Host")).containsExactly("h");
    assertThat(call.fields("Via")).containsExactly("1.1 once");
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void proxies_before_this_one_are_kept_in_via(String head) throws Exception {
    assertThat(sent(head + "Via: 1.0 old\r\n").fields("Via"))
        .containsExactly("1.0 old", "1.1 once");
  }

  @ParameterizedTest
  @ValueSource(strings = {KEYED, PLAIN})
  void only_the_gateway_says_fence_and_attempt(String head) throws Exception {
    Service.Call call = sent(head + "Idempotency-Fence: 999999\r\nidempotency-attempt: 7\r\n");
    boolean keyed = head.equals(KEYED);
    assertThat(call.fields("Idempotency-Attempt"))
        .isEqualTo(keyed ? java.util.List.of("1") : java.util.List.of());
    assertThat(call.fields("Idempotency-Fence")).hasSize(keyed ? 1 : 0).doesNotContain("999999");
  }

  @Test
  void over_http_2_the_service_sees_the_same() {
    start();
    Protocol.H2C.send(gateway.port(), "POST", "/p", "{}", "Idempotency-Key: k", "X-Kept: yes");
    Service.Call call = service.only("/p");
    String authority = "localhost:" + gateway.port();
    assertThat(call.fields("Host")).containsExactly(authority);
    assertThat(call.fields("X-Forwarded-Host")).containsExactly(authority);
    assertThat(call.fields("X-Forwarded-For")).containsExactly("127.0.0.1");
    assertThat(call.field("X-Kept")).isEqualTo("yes");
    assertThat(call.fields).noneMatch(field -> field.name().startsWith(":"));
  }

  @Test
  void over_tls_the_service_learns_that_it_was_https() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    Protocol.TLS_H2.send(gateway.port(), "POST", "/p", "{}", "Idempotency-Key: k");
    assertThat(service.only("/p").fields("X-Forwarded-Proto")).containsExactly("https");
  }

  @Test
  void headers_with_several_lines_reach_the_service_separate_and_in_order() throws Exception {
    Service.Call call = sent(KEYED + "X-A: 1\r\nX-B: 2\r\nX-A: 3\r\n");
    assertThat(call.fields("X-A")).containsExactly("1", "3");
  }

  @Test
  void what_is_about_the_services_connection_stays_here() throws Exception {
    service.on(
        "/p",
        call ->
            call.answer(
                200,
                "x",
                "Connection: X-Hop",
                "X-Hop: 1",
                "Keep-Alive: timeout=5",
                "Proxy-Authenticate: Basic",
                "Trailer: X-T",
                "Upgrade: h2c"));
    start();
    HttpResponse<String> passed = send(get("/p"));
    HttpResponse<String> first = pay("/p", "k-1");
    for (HttpResponse<String> response : java.util.List.of(passed, first, pay("/p", "k-1"))) {
      assertThat(response.headers().map().keySet())
          .doesNotContain(
              "x-hop", "keep-alive", "proxy-authenticate", "trailer", "upgrade", "connection");
    }
  }

  @Test
  void the_client_may_close_its_connection_without_closing_the_one_to_the_service()
      throws Exception {
    start();
    RawClient client = raw();
    client.send("GET /p HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assertThat(client.read().field("Connection")).isEqualTo("close");
    client.awaitClose();
    assertThat(service.only("/p").fields("Connection")).isEmpty();
    assertThat(service.connections()).isEqualTo(1);
  }

  @Test
  void a_service_that_closes_each_time_does_not_close_the_clients_connection() throws Exception {
    service.on("/p", call -> call.answer(200, "x", "Connection: close"));
    start();
    RawClient client = raw();
    for (int i = 0; i < 3; i++) {
      client.send("GET /p HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(client.read().fields("Connection")).isEmpty();
    }
  }

  @Test
  void an_upstream_behind_tls_is_reached_if_its_certificate_is_trusted() throws Exception {
    Certificates certificate = Certificates.of("one");
    Path ca = certificate.writeTo(folder).certificate();
    Service secure =
        closing(
            new Service(
                certificate
                    .serving()
                    .getServerSocketFactory()
                    .createServerSocket(
                        0, Service.BACKLOG, java.net.InetAddress.getLoopbackAddress())));
    URI upstream = URI.create("https://localhost:" + secure.port());
    start(
        setup -> {
          setup.upstream = upstream;
          setup.upstreamCa = ca;
        });
    assertThat(send(get("/")).body()).isEqualTo("1 / ");
    assertThat(pay("/p", "k-1").body()).startsWith("1 /p ");
    start(setup -> setup.upstream = upstream);
    assertThat(send(get("/")).statusCode()).isEqualTo(502);
  }
}
