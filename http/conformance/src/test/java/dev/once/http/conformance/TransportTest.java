package dev.once.http.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.http.conformance.report.Outcome;
import dev.once.http.conformance.report.Report;
import dev.once.http.conformance.wire.Request;
import dev.once.http.conformance.wire.Wire;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions of HTTP, certificates, and a client that hangs up. */
class TransportTest {

  @TempDir static Path folder;

  private static Path certificate;

  @BeforeAll
  static void makeACertificate() throws Exception {
    certificate = Certificate.create(folder);
  }

  private static Function<Incoming, Outgoing> reference() {
    return new ReferenceServer(ServerBehaviour.IETF, Set.of())::handle;
  }

  @Test
  @DisplayName("HTTP/2 by upgrade: all rules but the one that needs bytes outside ASCII")
  void http_2_by_upgrade() throws Exception {
    try (VertxFront server = new VertxFront(null, reference())) {
      Report report =
          ConformanceRuns.run(ConformanceRuns.full(server.origin()).http(Protocol.HTTP_2));
      assertThat(ConformanceRuns.ids(report, Outcome.PASSED))
          .as(() -> ConformanceRuns.table(report))
          .hasSize(Conformance.rules().size() - 2);
      assertThat(ConformanceRuns.ids(report, Outcome.SKIPPED))
          .containsExactlyInAnyOrder("draft-2.1-non-ascii", "draft-2.7-missing");
      assertThat(ConformanceRuns.detail(report, "draft-2.1-non-ascii"))
          .containsExactly("needs --http 1.1: the client for HTTP/2 sends ASCII only");
    }
  }

  @Test
  @DisplayName("HTTP/2 by ALPN, with a certificate that nobody signed")
  void http_2_by_alpn_with_a_certificate_that_nobody_signed() throws Exception {
    PfxOptions pfx =
        new PfxOptions().setPath(certificate.toString()).setPassword(Certificate.PASSWORD);
    try (VertxFront server = new VertxFront(pfx, reference())) {
      Report report =
          ConformanceRuns.run(
              ConformanceRuns.full(server.origin()).http(Protocol.HTTP_2).insecure(true));
      assertThat(ConformanceRuns.ids(report, Outcome.PASSED))
          .as(() -> ConformanceRuns.table(report))
          .hasSize(Conformance.rules().size() - 2);
    }
  }

  @Test
  @DisplayName("HTTP/1.1 over TLS, also for the rule that needs a connection of its own")
  void http_1_1_over_tls() throws Exception {
    try (JdkFront server = JdkFront.secured(Certificate.context(certificate), reference())) {
      Report report = ConformanceRuns.run(server.target().insecure(true));
      assertThat(ConformanceRuns.ids(report, Outcome.PASSED))
          .as(() -> ConformanceRuns.table(report))
          .hasSize(Conformance.rules().size() - 1);
    }
  }

  @Test
  @DisplayName("a certificate that nobody signed is refused unless asked for by name")
  void a_certificate_that_nobody_signed_is_refused_unless_asked_for() throws Exception {
    try (JdkFront server = JdkFront.secured(Certificate.context(certificate), reference())) {
      TargetBuilder target = Target.at(server.url("/orders"));
      assertThatThrownBy(() -> ConformanceRuns.run(target))
          .isInstanceOf(TargetException.class)
          .hasMessageStartingWith("url: " + server.url("/orders") + " no TLS connection")
          .hasMessageEndingWith("(expected: a server that answers; --insecure trusts any)");
    }
  }

  @Test
  @DisplayName("a server without HTTP/2 is not checked over HTTP/1.1 in silence")
  void a_server_without_http_2_is_not_checked_over_http_1_1_in_silence() {
    try (JdkFront server = JdkFront.of(ServerBehaviour.IETF)) {
      TargetBuilder target = server.target().http(Protocol.HTTP_2);
      assertThatThrownBy(() -> ConformanceRuns.run(target))
          .isInstanceOf(TargetException.class)
          .hasMessage("http: 2, and the server spoke HTTP/1.1 (expected: 1.1)");
    }
  }

  @Test
  @DisplayName("a client that hangs up closes its connection")
  void a_client_that_hangs_up_closes_its_connection() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CountDownLatch asked = new CountDownLatch(1);
      CompletableFuture<Integer> ended =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = server.accept()) {
                  socket.setSoTimeout(300_000);
                  int b = socket.getInputStream().read();
                  asked.countDown();
                  while (b != -1) {
                    b = socket.getInputStream().read();
                  }
                  return b;
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      Wire wire = new Wire(Target.at("http://localhost").build().transport());
      URI uri = URI.create("http://localhost:" + server.getLocalPort() + "/");
      Request request = new Request("POST", uri, List.of(), List.of(), "body");
      Wire.Pending pending = wire.start(request);
      assertThat(asked.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(pending.hangUpAfter(Duration.ofMillis(100))).isTrue();
      assertThat(ended.get(300, TimeUnit.SECONDS)).isEqualTo(-1);
    }
  }
}
