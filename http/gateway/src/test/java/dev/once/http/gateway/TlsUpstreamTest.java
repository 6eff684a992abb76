package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** TLS has an end of its own, which is not that of the connection below it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TlsUpstreamTest extends GatewayFixture {

  /** TLS over connections that can be ended without it. */
  private static final class Layered extends ServerSocket {

    private final SSLSocketFactory tls;
    private final Map<Integer, Socket> below = new ConcurrentHashMap<>();

    Layered(SSLSocketFactory tls) throws IOException {
      super(0, Service.BACKLOG, InetAddress.getLoopbackAddress());
      this.tls = tls;
    }

    @Override
    public Socket accept() throws IOException {
      Socket socket = super.accept();
      below.put(socket.getPort(), socket);
      return tls.createSocket(socket, null, false);
    }

    @Override
    public void close() throws IOException {
      super.close();
      for (Socket socket : below.values()) {
        socket.close();
      }
    }

    void cut(Service.Call call) throws IOException {
      below.get(call.port()).close();
    }
  }

  private Layered listener;

  private Service startSecure() throws Exception {
    Certificates certificate = Certificates.of("one");
    Path ca = certificate.writeTo(folder).certificate();
    listener = new Layered(certificate.serving().getSocketFactory());
    Service secure = closing(new Service(listener));
    start(
        setup -> {
          setup.upstream = URI.create("https://localhost:" + secure.port());
          setup.upstreamCa = ca;
          setup.idleTimeout = Duration.ofMinutes(10);
        });
    return secure;
  }

  @Test
  void a_connection_on_which_the_service_sends_no_more_is_not_used_again() throws Exception {
    CountDownLatch said = new CountDownLatch(1);
    Gate gate = new Gate();
    startSecure()
        .on(
            "/bye",
            call -> {
              call.answer(201, "bye");
              call.endOutput();
              said.countDown();
              gate.pass();
            });
    assertFirst(pay("/bye", "k-1"), 201);
    assertThat(said.await(Gate.TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertFirst(pay("/p", "k-2"), 201);
    gate.open();
  }

  @Test
  void an_answer_without_a_length_ends_when_the_service_says_so() throws Exception {
    startSecure()
        .on(
            "/whole",
            call -> {
              call.send("HTTP/1.1 201 Created\r\n\r\nwhole");
              call.close();
            });
    assertThat(send(get("/whole")).body()).isEqualTo("whole");
    assertThat(pay("/whole", "k-1").body()).isEqualTo("whole");
    assertReplayed(pay("/whole", "k-1"), 201);
  }

  @Test
  void one_that_was_cut_off_is_neither_recorded_nor_passed_on_as_whole() throws Exception {
    startSecure()
        .on(
            "/half",
            call -> {
              call.send("HTTP/1.1 201 Created\r\n\r\nhalf");
              listener.cut(call);
            });
    assertProblem(pay("/half", "k-1"), 502, "upstream-failed");
    try {
      assertThat(send(get("/half")).statusCode()).isEqualTo(502);
    } catch (IOException cut) {
      // Its head was sent already, and then it was cut off, too.
    }
  }
}
