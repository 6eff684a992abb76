package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that ask for little, and never come to an end. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SlowClientsTest {

  private static final String UPLOAD =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nx";

  @TempDir Path folder;

  private static Crowd.Member sends(String text) {
    return (socket, n) -> socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void idle_connections_half_heads_and_uploads_that_stall_shut_nobody_out() throws Exception {
    try (StallingService service = new StallingService();
        GatewayProcess gateway =
            GatewayProcess.startIn(
                "-Xmx128m", service.url(), folder, "--client-idle-timeout", "20s");
        Crowd idle = Crowd.of(200, gateway.url(), sends(""));
        Crowd heads = Crowd.of(200, gateway.url(), sends("GET / HTTP/1.1\r\nX-A"));
        Crowd uploads = Crowd.of(400, gateway.url(), sends(UPLOAD))) {
      idle.awaitSent();
      heads.awaitSent();
      uploads.awaitSent();
      Client client = Client.of(gateway).with("Authorization", "a");
      for (int i = 0; i < 8; i++) {
        assertThat(client.post("/", Client.newKey()).status()).isEqualTo(200);
        assertThat(client.send("GET", "/", null, null).status()).isEqualTo(200);
      }
      Eventually.until(
          "an end of those that ask for nothing",
          () ->
              gateway
                  .admin("/metrics")
                  .body()
                  .lines()
                  .filter(line -> line.startsWith("gateway_connections "))
                  .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[1]))
                  .allMatch(open -> open < 420));
    }
  }
}
