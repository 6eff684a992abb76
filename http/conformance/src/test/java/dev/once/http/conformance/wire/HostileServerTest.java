package dev.once.http.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose answer does not end, read by our own reader. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(600)
class HostileServerTest {

  private static final String HEAD = "HTTP/1.1 200 OK\r\n";

  private static Reply read(String first, String then) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread attack = new Thread(() -> send(server, first, then), "attack");
      attack.setDaemon(true);
      attack.start();
      try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
        return new RawReader(socket, Duration.ofMinutes(5)).read();
      }
    }
  }

  private static void send(ServerSocket server, String first, String then) {
    try (Socket socket = server.accept();
        OutputStream out = socket.getOutputStream()) {
      out.write(first.getBytes(StandardCharsets.ISO_8859_1));
      byte[] more = then.getBytes(StandardCharsets.ISO_8859_1);
      while (true) {
        out.write(more);
      }
    } catch (IOException e) {
      // The reader has left.
    }
  }

  @Test
  void a_head_that_does_not_end_is_left() {
    assertThatThrownBy(() -> read(HEAD, "X-Filler: " + "x".repeat(1000) + "\r\n"))
        .isInstanceOf(LimitedBody.TooLargeException.class);
  }

  @Test
  void interim_answers_that_do_not_end_are_left() {
    assertThatThrownBy(() -> read("", "HTTP/1.1 102 Processing\r\n\r\n"))
        .isInstanceOf(LimitedBody.TooLargeException.class);
  }

  @Test
  void a_body_that_does_not_end_is_read_up_to_a_limit() throws IOException {
    String chunked = HEAD + "Transfer-Encoding: chunked\r\n\r\n";
    assertLimited(read(HEAD + "\r\n", "x".repeat(1000)));
    assertLimited(read(HEAD + "Content-Length: 900000000\r\n\r\n", "x".repeat(1000)));
    assertLimited(read(chunked, "3e8\r\n" + "x".repeat(1000) + "\r\n"));
    assertLimited(read(chunked + "ffffff\r\n", "x".repeat(999) + "\n"));
  }

  /** The last chunk is read to its end. */
  private static void assertLimited(Reply reply) {
    assertThat(reply.text().length()).isBetween(LimitedBody.LONGEST, LimitedBody.LONGEST + 1000);
  }
}
