package dev.once.cli.process;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A client of a gateway.
 *
 * @param keyHeader where it puts its keys
 * @param marker by what it knows a replay
 * @param headers what it sends with every request
 */
record Client(URI url, String keyHeader, String marker, Map<String, String> headers) {

  static final String JSON = "{\"amount\":1000,\"currency\":\"USD\"}";

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static String newKey() {
    return UUID.randomUUID().toString();
  }

  /** As the IETF draft, and most of the profiles, want it. */
  static Client of(GatewayProcess gateway) {
    return new Client(gateway.url(), "Idempotency-Key", "Idempotent-Replayed", Map.of());
  }

  /** With the header names of the profiles portal and leads. */
  static Client withX(GatewayProcess gateway) {
    return new Client(gateway.url(), "X-Idempotency-Key", "X-Idempotency-Replay", Map.of());
  }

  /** The same one, but it sends this field, too. */
  Client with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Client(url, keyHeader, marker, more);
  }

  /** The same one, but it talks to another gateway. */
  Client at(GatewayProcess other) {
    return new Client(other.url(), keyHeader, marker, headers);
  }

  Reply post(String path, String key) {
    return send("POST", path, key, JSON);
  }

  Reply post(String path, String key, String body) {
    return send("POST", path, key, body);
  }

  /** Null for no key, and for no body. */
  Reply send(String method, String path, @Nullable String key, @Nullable String body) {
    return await(start(method, path, key, body));
  }

  CompletableFuture<Reply> start(String path, String key) {
    return start("POST", path, key, JSON);
  }

  CompletableFuture<Reply> start(
      String method, String path, @Nullable String key, @Nullable String body) {
    BodyPublisher content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url.resolve(path))
            .timeout(Eventually.TIMEOUT)
            .method(method, content);
    if (body != null && !headers.containsKey("Content-Type")) {
      request.header("Content-Type", "application/json");
    }
    headers.forEach(request::header);
    if (key != null) {
      request.header(keyHeader, key);
    }
    return HTTP.sendAsync(request.build(), BodyHandlers.ofByteArray())
        .thenApply(response -> Reply.of(response, marker));
  }

  /** The reply, or the failure of the connection as an exception. */
  static Reply await(CompletableFuture<Reply> reply) {
    try {
      return reply.join();
    } catch (CompletionException e) {
      throw new NoReplyException(e.getCause());
    }
  }

  /** The connection failed, so that nobody knows what became of the request. */
  static final class NoReplyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoReplyException(Throwable cause) {
      super(cause);
    }
  }
}
