package dev.once.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A real gateway in front of a scripted service, and clients. */
abstract class GatewayFixture {

  static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  final Service service = new Service();

  @TempDir Path folder;

  Gateway gateway;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  @AfterEach
  void closeAll() throws Exception {
    // The service first: nothing runs any more that the gateway would wait for.
    service.close();
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  /** Closes it after the test. */
  final <T extends AutoCloseable> T closing(T resource) {
    opened.push(resource);
    return resource;
  }

  final Gateway start() {
    return start(setup -> {});
  }

  final Gateway start(Consumer<Setup> changes) {
    Setup setup = new Setup(service.port());
    changes.accept(setup);
    gateway = closing(Gateway.start(setup.settings()));
    return gateway;
  }

  /** On a file, so that another gateway can find what this one kept. */
  final String sqlite() {
    return "sqlite:" + folder.resolve("once.db");
  }

  final RawClient raw() throws IOException {
    return closing(new RawClient(gateway.port()));
  }

  final URI uri(String path) {
    return URI.create("http://localhost:" + gateway.port() + path);
  }

  final URI admin(String path) {
    return URI.create("http://localhost:" + gateway.adminPort() + path);
  }

  /** A request of POST with a key; null for none. */
  final HttpRequest.Builder post(String path, String key, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(Duration.ofSeconds(Gate.TIMEOUT_SECONDS))
            .POST(BodyPublishers.ofString(body));
    return key == null ? request : request.header("Idempotency-Key", key);
  }

  final HttpRequest.Builder get(String path) {
    return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(Gate.TIMEOUT_SECONDS));
  }

  static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  static CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
    return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
  }

  /** POST with a key and a body of JSON. */
  final HttpResponse<String> pay(String path, String key) throws Exception {
    return send(payment(path, key));
  }

  final HttpRequest.Builder payment(String path, String key) {
    return post(path, key, "{\"amount\":1}").header("Content-Type", "application/json");
  }

  static void assertReplayed(HttpResponse<String> response, int status) {
    assertThat(response.headers().firstValue("Idempotent-Replayed")).as("marker").contains("true");
    assertThat(response.statusCode()).isEqualTo(status);
  }

  static void assertFirst(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Idempotent-Replayed")).as("marker").isEmpty();
  }

  /** A problem (RFC 9457) of this status, whose type ends so. */
  final void assertProblem(HttpResponse<String> response, int status, String anchor) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(response.body()).contains("\"type\":\"about:blank#" + anchor + "\"");
    assertThat(response.body()).contains("\"status\":" + status);
  }

  /** For what is true soon, and has no event to wait for. */
  static void eventually(BooleanSupplier truth) {
    long deadline = System.nanoTime() + Duration.ofSeconds(Gate.TIMEOUT_SECONDS).toNanos();
    while (!truth.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not true in time");
      }
      java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
    }
  }

  /** Sends until the answer is as wanted: for what changes when a lease is over. */
  final HttpResponse<String> retryWhileBusy(HttpRequest.Builder request) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(Gate.TIMEOUT_SECONDS).toNanos();
    while (true) {
      HttpResponse<String> response = send(request);
      if (!response.body().contains("#still-running") || System.nanoTime() - deadline > 0) {
        return response;
      }
      java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
    }
  }
}
