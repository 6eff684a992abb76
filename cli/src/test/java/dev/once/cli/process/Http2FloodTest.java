package dev.once.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One connection of HTTP/2 after another that wants to keep a gateway of 128 MB busy. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class Http2FloodTest {

  private static final int MEGABYTE = 1024 * 1024;

  /** Frames that cost a client next to nothing. */
  private static final List<byte[]> FLOODS =
      List.of(
          Http2Frames.frame(Http2Frames.PING, 0, 0, new byte[8]),
          Http2Frames.frame(Http2Frames.SETTINGS, 0, 0),
          Http2Frames.frame(Http2Frames.PRIORITY, 0, 5, new byte[] {0, 0, 0, 3, 1}),
          Http2Frames.frame(Http2Frames.WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0, 1}),
          Http2Frames.frame(Http2Frames.DATA, 0, 1),
          Http2Frames.frame(Http2Frames.HEADERS, Http2Frames.END_HEADERS, 1),
          Http2Frames.frame(77, 0, 1, new byte[64])); // of a kind that nobody knows

  private final StallingService service = new StallingService();

  @TempDir Path folder;

  private GatewayProcess gateway;

  @BeforeEach
  void start() {
    gateway = GatewayProcess.startIn("-Xmx128m", service.url(), folder, "--max-stored-body", "4m");
  }

  @AfterEach
  void close() throws Exception {
    service.close();
    gateway.close();
  }

  private Client client() {
    return Client.of(gateway).with("Authorization", "a");
  }

  private void assertWell() throws Exception {
    assertThat(client().post("/", Client.newKey()).status()).isEqualTo(200);
    Eventually.until("readiness", gateway::isReady);
  }

  private void assertStops() throws Exception {
    gateway.terminate();
    assertThat(gateway.exitCode()).isEqualTo(128 + 15);
  }

  @Test
  void floods_of_frames_that_nobody_reads_the_answers_of() throws Exception {
    for (byte[] flood : FLOODS) {
      byte[] many = Http2Frames.repeat(flood, 1000);
      try (Crowd crowd =
          Crowd.of(
              2,
              gateway.url(),
              (socket, n) -> {
                OutputStream out = socket.getOutputStream();
                out.write(Http2Frames.opening());
                out.write(Http2Frames.request(1, false, "POST", "/", "idempotency-key", "f" + n));
                for (int i = 0; i < 300; i++) {
                  out.write(many);
                }
              })) {
        crowd.awaitSent();
        assertWell();
      }
    }
    assertStops();
  }

  @Test
  void a_thousand_streams_on_one_connection() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    try (Crowd crowd =
        Crowd.of(
            1,
            gateway.url(),
            (socket, n) -> {
              OutputStream out = socket.getOutputStream();
              out.write(Http2Frames.opening()); // and what the gateway sets is never acknowledged
              for (int i = 0; i < 1000; i++) {
                out.write(
                    Http2Frames.request(
                        2 * i + 1, true, "POST", "/held", "idempotency-key", "s" + i));
              }
              socket.setSoTimeout(300_000);
              socket.getInputStream().readNBytes(Integer.MAX_VALUE);
              closed.incrementAndGet();
            })) {
      crowd.awaitSent();
      assertWell();
      assertThat(closed).as("connections that the gateway ended").hasValue(1);
      assertThat(service.stalled()).isLessThanOrEqualTo(100);
    }
    service.finish();
    assertStops();
  }

  @Test
  void one_connection_whose_streams_each_hold_a_body() throws Exception {
    Vertx vertx = Vertx.vertx();
    AtomicInteger ended = new AtomicInteger();
    try {
      var http =
          vertx
              .httpClientBuilder()
              .with(
                  new HttpClientOptions()
                      .setProtocolVersion(HttpVersion.HTTP_2)
                      .setHttp2ClearTextUpgrade(false))
              .with(new PoolOptions().setHttp2MaxSize(1))
              .build();
      for (int i = 0; i < 100; i++) {
        String key = "stream-" + i;
        http.request(HttpMethod.POST, gateway.url().getPort(), "127.0.0.1", "/")
            .onSuccess(
                request -> {
                  request.putHeader("Idempotency-Key", key).putHeader("Authorization", "a");
                  request.putHeader("Content-Length", "" + MEGABYTE);
                  request.write(Buffer.buffer(new byte[MEGABYTE - 1]));
                  request.response().onComplete(any -> ended.incrementAndGet());
                });
      }
      Eventually.get("streams that were sent away", ended::get, n -> n > 60);
      assertWell();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
    assertStops();
  }

  @Test
  void connections_that_never_take_what_they_ask_for() throws Exception {
    assertThat(client().post("/large", "large", "x").status()).isEqualTo(200);
    try (Crowd crowd =
        Crowd.of(
            4,
            gateway.url(),
            (socket, n) -> {
              OutputStream out = socket.getOutputStream();
              out.write(Http2Frames.opening(0, 4, 0, 0, 0, 0)); // windows of nothing
              for (int i = 0; i < 100; i++) {
                int stream = 2 * i + 1;
                out.write(
                    Http2Frames.request(
                        stream,
                        false,
                        "POST",
                        "/large",
                        "idempotency-key",
                        "large",
                        "content-type",
                        "application/json"));
                out.write(
                    Http2Frames.frame(
                        Http2Frames.DATA, Http2Frames.END_STREAM, stream, (byte) 'x'));
              }
              socket.setSoTimeout(5_000); // far more than the gateway needs to look at them
              socket.getInputStream().readNBytes(Integer.MAX_VALUE);
            })) {
      crowd.awaitSent();
      assertWell();
    }
    assertStops();
  }
}
