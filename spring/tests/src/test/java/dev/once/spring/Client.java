package dev.once.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ConfigurableApplicationContext;

/** Speaks to an application over HTTP. */
final class Client {

  /** What came back. */
  record Reply(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String body() {
      return response.body();
    }

    Optional<String> header(String name) {
      return response.headers().firstValue(name);
    }

    boolean isReplay() {
      return header("Idempotent-Replayed").equals(Optional.of("true"));
    }
  }

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String root;

  Client(ConfigurableApplicationContext context) {
    this(context, "");
  }

  Client(ConfigurableApplicationContext context, String path) {
    root = "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path;
  }

  /** A JSON request; headers are names and values by turns. */
  Reply send(String method, String path, String json, String... headers) {
    return sendLater(method, path, json, headers).join();
  }

  CompletableFuture<Reply> sendLater(String method, String path, String json, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(root + path))
            .method(
                method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
    boolean typed = false;
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
      typed |= headers[i].equals("Content-Type");
    }
    if (!typed && !json.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    return HTTP.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(Reply::new);
  }

  /** A POST of JSON with an Idempotency-Key. */
  Reply post(String path, String key, String json) {
    return send("POST", path, json, "Idempotency-Key", key);
  }

  /** Sends a request and hangs up without reading what comes back. */
  void sendAndLeave(String path, String json, String header, String key) {
    URI uri = URI.create(root + path);
    try (java.net.Socket socket = new java.net.Socket(uri.getHost(), uri.getPort())) {
      String request =
          "POST %s HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(path, header, key, json.length(), json);
      socket.getOutputStream().write(request.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
