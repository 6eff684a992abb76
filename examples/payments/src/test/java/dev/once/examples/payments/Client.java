package dev.once.examples.payments;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A user of the example, over HTTP. The password is the name.
 *
 * @param keyHeader where it puts its keys
 * @param marker by what it knows a replay
 */
record Client(URI url, String user, String keyHeader, String marker) {

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Far more than anything here takes. */
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  static String card(String card) {
    return "{\"amount\":1500,\"card\":\"" + card + "\"}";
  }

  String authorization() {
    byte[] both = (user + ":" + user).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  /** The same one, with another field for its keys. */
  Client withKeysIn(String header) {
    return new Client(url, user, header, marker);
  }

  /** The same one, talking to another instance. */
  Client at(URI other) {
    return new Client(other, user, keyHeader, marker);
  }

  Reply charge(@Nullable String key, String card) {
    return post("/charges", key, card(card));
  }

  /** A charge on which refunds can be tried. */
  String charged(String card) {
    return charge(null, card).location();
  }

  Reply post(String path, @Nullable String key, String body) {
    return await(send("POST", path, key, body, TIMEOUT));
  }

  Reply send(String method, String path) {
    return await(send(method, path, null, "", TIMEOUT));
  }

  CompletableFuture<Reply> start(String path, String key, String body) {
    return send("POST", path, key, body, TIMEOUT);
  }

  /** Sends it, and hangs up if there is no answer in time: enough for it to be under way. */
  CompletableFuture<Reply> startImpatiently(String path, String key, String body) {
    return send("POST", path, key, body, Duration.ofSeconds(2));
  }

  private CompletableFuture<Reply> send(
      String method, String path, @Nullable String key, String body, Duration timeout) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url.resolve(path))
            .timeout(timeout)
            .header("Authorization", authorization())
            .method(method, BodyPublishers.ofString(body));
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    if (key != null) {
      request.header(keyHeader, key);
    }
    return HTTP.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(this::reply);
  }

  private Reply reply(HttpResponse<String> response) {
    return new Reply(
        response.statusCode(),
        response.body(),
        response.headers().firstValue("Location").orElse(""),
        response.headers().firstValue("Retry-After").orElse(""),
        response.headers().allValues(marker).contains("true"));
  }

  static Reply await(CompletableFuture<Reply> reply) {
    return reply.join();
  }

  Books books() {
    return Books.of(send("GET", "/ledger").body());
  }

  /** What the server has at a path, for anybody. */
  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HTTP.send(HttpRequest.newBuilder(url.resolve(path)).build(), BodyHandlers.ofString());
  }
}
