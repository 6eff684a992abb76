package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What changes without a restart. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReloadTest extends GatewayFixture {

  private GatewaySettings changed(java.util.function.Consumer<Setup> changes) {
    Setup setup = new Setup(service.port());
    changes.accept(setup);
    return setup.settings();
  }

  @Test
  void new_routes_are_for_new_requests() throws Exception {
    start();
    assertThat(send(payment("/p", null)).statusCode()).isEqualTo(201);
    gateway.reload(changed(setup -> setup.route("POST /p", "required", "true")));
    assertProblem(send(payment("/p", null)), 400, "key-missing");
    gateway.reload(changed(setup -> {}));
    assertThat(send(payment("/p", null)).statusCode()).isEqualTo(201);
  }

  @Test
  void a_request_that_runs_keeps_the_policy_that_it_began_with() throws Exception {
    Gate gate = new Gate();
    service.on(
        "/slow",
        call -> {
          call.body();
          gate.pass();
          call.answer(500, "failed");
        });
    start();
    var running = sendAsync(payment("/slow", "k-1"));
    gate.awaitReached();
    gateway.reload(changed(setup -> setup.policy("on-failure", "release")));
    gate.open();
    assertFirst(running.join(), 500);
    assertReplayed(pay("/slow", "k-1"), 500);
  }

  @Test
  void what_was_recorded_before_is_replayed_after() throws Exception {
    start();
    assertFirst(pay("/p", "k-1"), 201);
    gateway.reload(changed(setup -> setup.route("POST /p", "retention", "1h")));
    assertReplayed(pay("/p", "k-1"), 201);
  }

  @Test
  void new_origins_are_known_and_the_page_shows_the_new_rules() throws Exception {
    start();
    gateway.reload(
        changed(
            setup -> {
              setup.corsOrigins = List.of("*");
              setup.route("POST /fresh", "retention", "77h");
            }));
    assertThat(
            Protocol.HTTP_1_1
                .send(
                    gateway.port(),
                    "OPTIONS",
                    "/p",
                    null,
                    "Origin: https://a.example",
                    "Access-Control-Request-Method: POST")
                .status())
        .isEqualTo(204);
    assertThat(send(java.net.http.HttpRequest.newBuilder(admin("/docs/idempotency"))).body())
        .contains("POST /fresh")
        .contains("77h");
  }

  private String ownerOfCertificate() {
    try (SSLSocket socket =
        (SSLSocket)
            Certificates.trusting().getSocketFactory().createSocket("localhost", gateway.port())) {
      X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return shown.getSubjectX500Principal().getName();
    } catch (IOException | java.security.GeneralSecurityException e) {
      return "none: " + e;
    }
  }

  /** So that the change is seen even where time stamps are coarse. */
  private static void touch(GatewaySettings.Tls tls, int seconds) throws IOException {
    FileTime time = FileTime.from(Instant.now().plusSeconds(seconds));
    Files.setLastModifiedTime(tls.certificate(), time);
    Files.setLastModifiedTime(tls.key(), time);
  }

  @Test
  void new_certificates_are_shown_to_new_connections_and_both_protocols_go_on() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    assertThat(ownerOfCertificate()).isEqualTo("CN=one");
    RawClient old = closing(RawClient.tls(gateway.port()));
    old.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n").read();
    Certificates.of("two").writeTo(folder);
    touch(tls, 10);
    eventually(() -> ownerOfCertificate().equals("CN=two"));
    for (int i = 0; i < 5; i++) {
      assertThat(ownerOfCertificate()).isEqualTo("CN=two");
    }
    assertThat(Protocol.TLS_H2.pay(gateway.port(), "/p", "k-1").version())
        .isEqualTo(io.vertx.core.http.HttpVersion.HTTP_2);
    assertThat(Protocol.TLS_HTTP_1_1.pay(gateway.port(), "/p", "k-1").status()).isEqualTo(201);
    old.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(old.read().status()).isEqualTo(201);
  }

  @Test
  void while_the_new_certificate_cannot_be_read_the_old_one_stays() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    LogLines log = LogLines.fromNowOn();
    Files.writeString(tls.certificate(), "not a certificate");
    touch(tls, 10);
    log.await("certificate not reloaded");
    assertThat(ownerOfCertificate()).isEqualTo("CN=one");
    Certificates.of("two").writeTo(folder);
    touch(tls, 20);
    eventually(() -> ownerOfCertificate().equals("CN=two"));
  }

  /** Two files cannot be written in one step: certbot writes one after the other. */
  @Test
  void a_certificate_that_does_not_fit_its_key_is_taken_up_when_the_key_has_come()
      throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    String oldKey = Files.readString(tls.key());
    start(setup -> setup.tls = tls);
    LogLines log = LogLines.fromNowOn();
    Certificates.of("two").writeTo(folder);
    String newKey = Files.readString(tls.key());
    Files.writeString(tls.key(), oldKey);
    touch(tls, 10);
    log.await("certificate not reloaded");
    assertThat(log.with("certificate not reloaded").get(0))
        .contains(tls.certificate().toString())
        .contains(tls.key().toString())
        .contains("(expected: ");
    for (int i = 0; i < 5; i++) {
      assertThat(ownerOfCertificate()).isEqualTo("CN=one");
    }
    Files.writeString(tls.key(), newKey);
    touch(tls, 20);
    eventually(() -> ownerOfCertificate().equals("CN=two"));
  }

  @Test
  void a_certificate_that_is_expired_is_not_taken_up() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    LogLines log = LogLines.fromNowOn();
    Certificates.expired("two").writeTo(folder);
    touch(tls, 10);
    log.await("reloaded");
    assertThat(log.with("reloaded").get(0))
        .contains("certificate not reloaded", "is expired since");
    assertThat(ownerOfCertificate()).isEqualTo("CN=one");
  }

  @Test
  void a_gateway_starts_with_a_certificate_that_is_expired_and_says_so() throws Exception {
    LogLines log = LogLines.fromNowOn();
    var tls = Certificates.expired("one").writeTo(folder);
    start(setup -> setup.tls = tls);
    assertThat(log.with("is expired since")).hasSize(1);
    assertThat(ownerOfCertificate()).isEqualTo("CN=one");
  }

  @Test
  void a_certificate_of_any_size_is_not_read() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    Files.writeString(tls.certificate(), "\n".repeat(1024 * 1024), StandardOpenOption.APPEND);
    assertThatThrownBy(() -> start(setup -> setup.tls = tls))
        .isInstanceOf(GatewayException.class)
        .hasMessageContaining("(expected: a readable file in PEM)");
  }

  @Test
  void a_gateway_does_not_start_with_a_certificate_that_does_not_fit_its_key() throws Exception {
    var tls = Certificates.of("one").writeTo(folder);
    String key = Files.readString(tls.key());
    Certificates.of("two").writeTo(folder);
    Files.writeString(tls.key(), key);
    assertThatThrownBy(() -> start(setup -> setup.tls = tls))
        .isInstanceOf(GatewayException.class)
        .hasMessageContaining("does not fit")
        .hasMessageContaining(tls.key().toString());
    Files.writeString(tls.key(), "not a key");
    assertThatThrownBy(() -> start(setup -> setup.tls = tls))
        .isInstanceOf(GatewayException.class)
        .hasMessageContaining("(expected: ");
  }
}
