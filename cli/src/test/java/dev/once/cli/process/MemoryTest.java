package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap of 128 MB, and clients who want all of it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MemoryTest {

  private static final int MEGABYTE = 1024 * 1024;

  private final StallingService service = new StallingService();

  @TempDir Path folder;

  private GatewayProcess gateway;

  private void start(String... flags) {
    gateway = GatewayProcess.startIn("-Xmx128m", service.url(), folder, flags);
  }

  @AfterEach
  void close() throws IOException {
    service.close();
    if (gateway != null) {
      gateway.close();
    }
  }

  private Client client() {
    return Client.of(gateway).with("Authorization", "a");
  }

  /** It answers, also on the admin port, gives back what it held, and hears SIGTERM. */
  private void assertWell() throws Exception {
    assertThat(client().post("/", Client.newKey()).status()).isEqualTo(200);
    Eventually.until("readiness", gateway::isReady);
  }

  private void assertStops() throws Exception {
    Eventually.until("nothing held", () -> metric("gateway_held_bytes ").equals("0.0"));
    gateway.terminate();
    assertThat(gateway.exitCode()).isEqualTo(128 + 15);
  }

  private String metric(String name) throws Exception {
    return gateway
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void bodies_of_many_connections() throws Exception {
    start();
    try (Crowd crowd =
        Crowd.of(
            120,
            gateway.url(),
            (socket, n) ->
                socket
                    .getOutputStream()
                    .write(Crowd.post("/", "body-" + n, MEGABYTE, MEGABYTE - 1)))) {
      crowd.awaitSent();
      assertWell();
      assertThat(Double.parseDouble(metric("gateway_held_bytes ")))
          .isLessThanOrEqualTo(Double.parseDouble(metric("gateway_held_bytes_limit ")));
      Eventually.until("refusals", () -> !metric("gateway_held_refusals_total ").equals("0.0"));
    }
    assertStops();
  }

  @Test
  void bodies_of_many_connections_in_chunks() throws Exception {
    start();
    byte[] head =
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: a\r\nTransfer-Encoding: chunked\r\n"
            .concat("Idempotency-Key: ")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] chunk = ("4000\r\n" + "x".repeat(0x4000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    try (Crowd crowd =
        Crowd.of(
            120,
            gateway.url(),
            (socket, n) -> {
              socket.getOutputStream().write(head);
              socket
                  .getOutputStream()
                  .write(("chunks-" + n + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
              for (int i = 0; i < MEGABYTE / 0x4000; i++) {
                socket.getOutputStream().write(chunk);
              }
            })) {
      crowd.awaitSent();
      assertWell();
    }
    assertStops();
  }

  @Test
  void forms_of_many_pairs() throws Exception {
    start();
    String start =
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: a\r\nContent-Length: " + MEGABYTE;
    String head =
        start + "\r\nContent-Type: application/x-www-form-urlencoded\r\nIdempotency-Key: form-";
    byte[] pairs = "a&".repeat(MEGABYTE / 2).getBytes(StandardCharsets.US_ASCII);
    try (Crowd crowd =
        Crowd.of(
            48,
            gateway.url(),
            (socket, n) -> {
              byte[] bytes = (head + n + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
              socket.getOutputStream().write(bytes);
              socket.getOutputStream().write(pairs);
              socket.getInputStream().read();
            })) {
      crowd.awaitSent();
      assertWell();
    }
    assertStops();
  }

  /** Fields of 29 KB. */
  private static String manyFields() {
    StringBuilder fields = new StringBuilder();
    for (int i = 0; i < 190; i++) {
      fields.append("X-F").append(i).append(": ").append("v".repeat(145)).append("\r\n");
    }
    return fields.toString();
  }

  @Test
  void requests_that_were_refused_before_their_bodies_came() throws Exception {
    start();
    byte[] head =
        ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: two words\r\n"
                + manyFields()
                + "Content-Length: 1\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    try (Crowd crowd =
        Crowd.of(
            8,
            gateway.url(),
            (socket, n) -> {
              for (int i = 0; i < 800; i++) {
                socket.getOutputStream().write(head);
                readToEnd(socket.getInputStream());
                socket.getOutputStream().write('x');
              }
            })) {
      crowd.awaitSent();
      assertWell();
    }
    assertStops();
  }

  /** A problem, to its last brace. */
  private static void readToEnd(InputStream in) throws IOException {
    for (int b = in.read(); b != '}'; b = in.read()) {
      if (b < 0) {
        throw new IOException("closed");
      }
    }
  }

  @Test
  void clients_that_leave_while_the_service_is_slow() throws Exception {
    start();
    byte[] head =
        ("GET /held HTTP/1.1\r\nHost: 127.0.0.1\r\n" + manyFields() + "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 20; i++) {
      try (Crowd crowd =
          Crowd.of(200, gateway.url(), (socket, n) -> socket.getOutputStream().write(head))) {
        crowd.awaitSent();
      }
    }
    service.finish();
    // Until what they asked for has ended, others may be told to come again: 503.
    Eventually.until("an answer", () -> client().post("/", Client.newKey()).status() == 200);
    assertWell();
    assertStops();
  }

  @Test
  void slow_answers() throws Exception {
    start();
    int size = 200;
    List<CompletableFuture<Reply>> first = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      first.add(client().start("/slow", "slow-" + i));
    }
    Eventually.get("answers that stall", service::stalled, n -> n == size);
    assertWell();
    service.finish();
    for (CompletableFuture<Reply> reply : first) {
      Reply got = Client.await(reply);
      assertThat(got.status()).as("%s %s", got, gateway.output()).isEqualTo(200);
    }
    for (int i = 0; i < size; i++) {
      assertThat(client().post("/slow", "slow-" + i).marked()).as("key %d", i).isTrue();
    }
    assertStops();
  }

  @Test
  void duplicates_that_wait() throws Exception {
    start("--on-busy", "wait");
    byte[] whole = Crowd.post("/held", "same", MEGABYTE / 2, MEGABYTE / 2);
    try (Crowd crowd =
        Crowd.of(
            400,
            gateway.url(),
            (socket, n) -> {
              socket.getOutputStream().write(whole);
              socket.setSoTimeout(10_000); // far more than all need to come in
              socket.getInputStream().read();
            })) {
      Eventually.get("the first one", service::stalled, n -> n == 1);
      crowd.awaitSent();
      assertWell();
      service.finish();
    }
    assertStops();
  }

  @Test
  void replays_that_nobody_reads() throws Exception {
    AtomicInteger replays = new AtomicInteger();
    start("--max-stored-body", "4m");
    assertThat(client().post("/large", "large", "x").status()).isEqualTo(200);
    byte[] retry =
        ("POST /large HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: a\r\nIdempotency-Key: large\r\n"
                + "Content-Type: application/json\r\nContent-Length: 1\r\n\r\nx")
            .getBytes(StandardCharsets.US_ASCII);
    try (Crowd crowd =
        Crowd.of(
            200,
            gateway.url(),
            (socket, n) -> {
              socket.getOutputStream().write(retry);
              byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
              if (new String(start, StandardCharsets.US_ASCII).endsWith(" 200")) {
                replays.incrementAndGet(); // and no more is read
              }
            })) {
      crowd.awaitSent();
      assertThat(replays.get()).as("replays that began").isPositive();
      assertWell();
    }
    assertStops();
  }
}
