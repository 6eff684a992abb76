package dev.once.http.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.once.http.conformance.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RawReaderTest {

  @Test
  @DisplayName("a body ends with its length, its last chunk or its connection")
  void a_body_ends_with_its_length_its_last_chunk_or_its_connection() throws Exception {
    assertThat(answer("HTTP/1.1 200 OK", "Content-Length: 2", "", "abcd").text()).isEqualTo("ab");
    assertThat(
            answer(
                    "HTTP/1.1 200 OK",
                    "Transfer-Encoding: chunked",
                    "",
                    "2;x=y",
                    "ab",
                    "a",
                    "0123456789",
                    "0",
                    "",
                    "")
                .text())
        .isEqualTo("ab0123456789");
    assertThat(answer("HTTP/1.0 200 OK", "", "to the end").text()).isEqualTo("to the end");
  }

  @Test
  @DisplayName("interim answers are passed over")
  void interim_answers_are_passed_over() throws Exception {
    Reply reply =
        answer(
            "HTTP/1.1 100 Continue", "", "HTTP/1.1 400 Bad", "X-A: b", "Content-Length: 0", "", "");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.first("x-a")).contains("b");
  }

  @Test
  @DisplayName("what is not HTTP, and what ends early, is no answer")
  void what_is_not_http_and_what_ends_early_is_no_answer() {
    assertThatThrownBy(() -> answer("SSH-2.0", "", ""))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageEndingWith("not an HTTP/1.1 answer");
    assertThatThrownBy(() -> answer("HTTP/1.1 200"))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageEndingWith("the answer ended early");
    assertThatThrownBy(() -> answer("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "zz", ""))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageEndingWith("not the size of a chunk");
    assertThatThrownBy(() -> answer("HTTP/1.1 200 OK", "X-A: " + "a".repeat(70_000), "", ""))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageEndingWith("sent too much, head of the answer: more than 1 MB");
  }

  @Test
  @Timeout(600) // or for ever: there is always one more drop
  @DisplayName("an answer that comes in drops is given up as a whole")
  void an_answer_that_comes_in_drops_is_given_up_as_a_whole() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture.runAsync(() -> drip(server));
      assertThatThrownBy(() -> send(server, Duration.ofMillis(300)))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageEndingWith("no answer in time");
    }
  }

  private static void drip(ServerSocket server) {
    try (Socket socket = server.accept()) {
      while (Backoff.sleep(20)) {
        socket.getOutputStream().write('H');
      }
    } catch (IOException e) {
      // The client has gone, as it should.
    }
  }

  private static Reply answer(String... lines) throws Exception {
    byte[] bytes = String.join("\r\n", lines).getBytes(StandardCharsets.UTF_8);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> answering =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = server.accept()) {
                  // All of the request is read: closing with unread bytes resets the connection.
                  String request = "";
                  while (!request.endsWith("\r\n\r\nbody")) {
                    request += (char) socket.getInputStream().read();
                  }
                  socket.getOutputStream().write(bytes);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      try {
        return send(server, Duration.ofMinutes(5));
      } finally {
        answering.join();
      }
    }
  }

  private static Reply send(ServerSocket server, Duration timeout) throws NoAnswerException {
    URI uri = URI.create("http://localhost:" + server.getLocalPort());
    Target target = Target.at(uri.toString()).requestTimeout(timeout).build();
    Request request = new Request("POST", uri, List.of(), List.of(), "body");
    return new RawWire(target.transport()).send(request).reply();
  }
}
